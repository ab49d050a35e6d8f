// DarkroomClient
