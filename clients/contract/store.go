// Stores a photo, and enqueues it in the app's own transaction. Prints the job's number.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go build store.go
//	DATABASE_URL=postgresql://… DARKROOM_MEDIA=DIR ./store PHOTO UPLOADER CAPTION LATITUDE LONGITUDE
package main

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	_ "github.com/lib/pq"
)

type original struct {
	key, sha256 string
	bytes       int64
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

func makeFolders(paths ...string) error {
	for _, path := range paths {
		if err := os.Mkdir(path, 0o770); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		// Regardless of the umask; an inherited set-group-ID bit stays.
		if err := os.Chmod(path, 0o770|info.Mode()&fs.ModeSetgid); err != nil {
			return err
		}
		if err := syncFolder(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return nil
}

func store(photo, media string, identity sql.NullString) (stored original, err error) {
	originals := filepath.Join(media, "originals")
	marker, _ := os.ReadFile(filepath.Join(originals, ".darkroom-store"))
	if identity.Valid && strings.TrimSpace(string(marker)) != identity.String {
		return stored, fmt.Errorf("%s is not the media store %s: mount the right disk, or correct the path", media, identity.String)
	}
	unfinished := filepath.Join(originals, ".unfinished")
	if err = makeFolders(originals, unfinished); err != nil {
		return
	}
	source, err := os.Open(photo)
	if err != nil {
		return
	}
	defer source.Close()
	file, err := os.CreateTemp(unfinished, "")
	if err != nil {
		return
	}
	defer os.Remove(file.Name())
	defer file.Close()
	hash := sha256.New()
	if stored.bytes, err = io.Copy(io.MultiWriter(hash, file), source); err != nil {
		return
	}
	if err = file.Chmod(0o640); err != nil {
		return
	}
	if err = file.Sync(); err != nil {
		return
	}
	stored.sha256 = fmt.Sprintf("%x", hash.Sum(nil))
	stored.key = fmt.Sprintf("originals/%s/%s/%s", stored.sha256[:2], stored.sha256[2:4], stored.sha256)
	name := filepath.Join(media, stored.key)
	folder := filepath.Dir(name)
	if err = makeFolders(filepath.Dir(folder), folder); err != nil {
		return
	}
	// A sweep that wants to remove the older file waits for this lock.
	if older, err := os.Open(name); err == nil {
		defer older.Close()
		_ = syscall.Flock(int(older.Fd()), syscall.LOCK_SH)
	}
	if err = os.Rename(file.Name(), name); err != nil {
		return
	}
	return stored, syncFolder(folder)
}

func enqueue(database *sql.DB, photo original, uploader, caption, latitude, longitude string) (job int64, err error) {
	transaction, err := database.Begin()
	if err != nil {
		return
	}
	defer transaction.Rollback() // Does nothing after a commit.
	err = transaction.QueryRow(`
		select darkroom.enqueue_upload(uploader => $1, original_key => $2, original_sha256 => $3, original_bytes => $4,
		                               caption => $5, latitude => $6, longitude => $7)`,
		uploader, photo.key, photo.sha256, photo.bytes, caption, latitude, longitude).Scan(&job)
	if err != nil {
		return
	}
	if _, err = transaction.Exec("insert into drafts (photo, job_id) values ($1, $2)", photo.key, job); err != nil {
		return
	}
	return job, transaction.Commit()
}

func run(photo, uploader, caption, latitude, longitude string) (job int64, err error) {
	database, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		return
	}
	defer database.Close()
	var identity sql.NullString
	if err = database.QueryRow("select identity from darkroom.media_identity()").Scan(&identity); err != nil {
		return
	}
	stored, err := store(photo, os.Getenv("DARKROOM_MEDIA"), identity)
	if err != nil {
		return
	}
	return enqueue(database, stored, uploader, caption, latitude, longitude)
}

func main() {
	if len(os.Args) != 6 {
		log.Fatal("usage: store PHOTO UPLOADER CAPTION LATITUDE LONGITUDE")
	}
	job, err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job)
}
