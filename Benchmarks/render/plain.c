// Renders JPEGs to the three renditions of the standard recipe with plain libvips: no sandbox, no checks, no second
// process. Process I of N takes every Nth file.
//
// usage: plain INDEX PROCESSES OUTPUT-DIRECTORY PHOTO...
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <vips/vips.h>

static int save(VipsImage *image, const char *directory, int photo, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/plain-%d-%s.jpg", directory, photo, name);
    return vips_jpegsave(image, path, "Q", 82, "strip", TRUE, NULL);
}

static int reduced(VipsImage *from, int long_side, VipsImage **out) {
    double scale = (double)long_side / (from->Xsize > from->Ysize ? from->Xsize : from->Ysize);
    VipsImage *lazy = NULL;
    if (scale >= 1) return vips_copy(from, out, NULL);
    if (vips_resize(from, &lazy, scale, NULL)) return -1;
    *out = vips_image_copy_memory(lazy);
    g_object_unref(lazy);
    return *out ? 0 : -1;
}

static int render(const char *path, const char *directory, int photo) {
    VipsImage *header = NULL, *decoded = NULL, *large = NULL, *upright = NULL, *medium = NULL, *square = NULL,
              *small = NULL;
    if (vips_jpegload(path, &header, NULL)) return -1;
    int side = header->Xsize > header->Ysize ? header->Xsize : header->Ysize;
    int shrink = 1;
    while (shrink < 8 && side / (shrink * 2) >= 1920) shrink *= 2;
    int status = vips_jpegload(path, &decoded, "shrink", shrink, "access", VIPS_ACCESS_SEQUENTIAL, NULL)
        || reduced(decoded, 1920, &large) || vips_autorot(large, &upright, NULL)
        || save(upright, directory, photo, "large") || reduced(upright, 1080, &medium)
        || save(medium, directory, photo, "medium");
    if (!status) {
        int edge = medium->Xsize < medium->Ysize ? medium->Xsize : medium->Ysize;
        status = vips_extract_area(
                     medium, &square, (medium->Xsize - edge) / 2, (medium->Ysize - edge) / 2, edge, edge, NULL)
            || reduced(square, 320, &small) || save(small, directory, photo, "square");
    }
    VipsImage *const all[] = {header, decoded, large, upright, medium, square, small};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) g_object_unref(all[i]);
    return status;
}

int main(int count, char **arguments) {
    if (count < 5 || VIPS_INIT(arguments[0])) return 2;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    int index = atoi(arguments[1]), processes = atoi(arguments[2]);
    for (int i = 4 + index; i < count; i += processes)
        if (render(arguments[i], arguments[3], i)) {
            fprintf(stderr, "%s: %s\n", arguments[i], vips_error_buffer());
            return 1;
        }
    return 0;
}
