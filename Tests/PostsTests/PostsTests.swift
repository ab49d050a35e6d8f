// Posts
