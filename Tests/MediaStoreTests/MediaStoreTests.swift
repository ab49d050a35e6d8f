// MediaStore
