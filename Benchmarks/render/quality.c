// Compares renditions with the result of a full decode and one Lanczos reduction, and prints a line for each: mean
// SSIM of luma, and median ΔE2000.
//
// usage: quality PHOTO RENDITION...
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vips/vips.h>

static void drop(VipsImage **images, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (images[i]) g_object_unref(images[i]);
}
#define DROP(images) drop(images, sizeof images / sizeof *images)

// The whole photo, upright.
static int decoded(const char *path, VipsImage **out) {
    VipsImage *t[2] = {NULL};
    int status = vips_jpegload(path, &t[0], NULL) || vips_autorot(t[0], &t[1], NULL)
        || !(*out = vips_image_copy_memory(t[1]));
    DROP(t);
    return status ? -1 : 0;
}

// The photo reduced to the rendition's size; only its middle if the rendition is a square.
static int reference(VipsImage *photo, VipsImage *rendition, VipsImage **out) {
    VipsImage *t[4] = {NULL};
    int edge = VIPS_MIN(photo->Xsize, photo->Ysize), square = rendition->Xsize == rendition->Ysize;
    int width = square ? edge : photo->Xsize, height = square ? edge : photo->Ysize;
    int status = vips_extract_area(
                     photo, &t[0], (photo->Xsize - width) / 2, (photo->Ysize - height) / 2, width, height, NULL)
        || vips_resize(
                     t[0], &t[1], (double)rendition->Xsize / width, "vscale", (double)rendition->Ysize / height,
                     "kernel", VIPS_KERNEL_LANCZOS3, "gap", 0.0, NULL);
    if (!status && vips_image_get_typeof(t[1], VIPS_META_ICC_NAME))
        status = vips_icc_transform(
            t[1], &t[2], "srgb", "embedded", TRUE, "depth", 8, "black_point_compensation", TRUE, NULL);
    status = status || vips_colourspace(t[2] ? t[2] : t[1], &t[3], VIPS_INTERPRETATION_sRGB, NULL)
        || !(*out = vips_image_copy_memory(t[3]));
    DROP(t);
    return status ? -1 : 0;
}

static int luma(VipsImage *image, VipsImage **out) {
    VipsImage *matrix = vips_image_new_matrixv(3, 1, 0.299, 0.587, 0.114);
    int status = vips_recomb(image, out, matrix, NULL);
    g_object_unref(matrix);
    return status;
}

enum { RADIUS = 5 };

// A Gaussian window of 11 x 11 with a standard deviation of 1.5.
static int windowed(VipsImage *image, VipsImage **out) {
    return vips_gaussblur(image, out, 1.5, "min_ampl", 0.002, "precision", VIPS_PRECISION_FLOAT, NULL);
}

static int windowed_product(VipsImage *left, VipsImage *right, VipsImage **out) {
    VipsImage *product = NULL;
    int status = vips_multiply(left, right, &product, NULL) || windowed(product, out);
    if (product) g_object_unref(product);
    return status;
}

static double *samples(VipsImage *image, size_t *count) {
    VipsImage *precise = NULL;
    size_t length;
    if (vips_cast(image, &precise, VIPS_FORMAT_DOUBLE, NULL)) return NULL;
    double *values = vips_image_write_to_memory(precise, &length);
    g_object_unref(precise);
    *count = length / sizeof *values;
    return values;
}

// Wang, Bovik, Sheikh and Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity", IEEE
// Transactions on Image Processing 13 (2004), with its constants, over the windows that are completely inside.
static int mean_ssim(VipsImage *left, VipsImage *right, double *mean) {
    VipsImage *t[7] = {NULL};
    double *v[5] = {NULL};
    size_t count = 0;
    int width = left->Xsize, height = left->Ysize;
    int status = width <= 2 * RADIUS || height <= 2 * RADIUS || luma(left, &t[0]) || luma(right, &t[1])
        || windowed(t[0], &t[2]) || windowed(t[1], &t[3]) || windowed_product(t[0], t[0], &t[4])
        || windowed_product(t[1], t[1], &t[5]) || windowed_product(t[0], t[1], &t[6]);
    for (int i = 0; !status && i < 5; i++) status = !(v[i] = samples(t[i + 2], &count));
    const double c1 = pow(0.01 * 255, 2), c2 = pow(0.03 * 255, 2);
    double sum = 0;
    for (int y = RADIUS; !status && y < height - RADIUS; y++)
        for (int x = RADIUS; x < width - RADIUS; x++) {
            size_t at = (size_t)y * width + x;
            double a = v[0][at], b = v[1][at];
            double aa = v[2][at] - a * a, bb = v[3][at] - b * b, ab = v[4][at] - a * b;
            sum += (2 * a * b + c1) * (2 * ab + c2) / ((a * a + b * b + c1) * (aa + bb + c2));
        }
    *mean = sum / ((double)(width - 2 * RADIUS) * (height - 2 * RADIUS));
    for (int i = 0; i < 5; i++) g_free(v[i]);
    DROP(t);
    return status ? -1 : 0;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int median_difference(VipsImage *left, VipsImage *right, double *median) {
    VipsImage *difference = NULL;
    size_t count = 0;
    double *values = NULL;
    if (!vips_dE00(left, right, &difference, NULL)) values = samples(difference, &count);
    if (difference) g_object_unref(difference);
    if (!values) return -1;
    qsort(values, count, sizeof *values, ascending);
    *median = values[count / 2];
    g_free(values);
    return 0;
}

static int compare(VipsImage *photo, const char *path) {
    VipsImage *t[2] = {NULL};
    double ssim = 0, difference = 0;
    int status = !(t[0] = vips_image_new_from_file(path, "memory", TRUE, NULL)) || reference(photo, t[0], &t[1])
        || mean_ssim(t[0], t[1], &ssim) || median_difference(t[0], t[1], &difference);
    if (!status) printf("%.6f %.4f\n", ssim, difference);
    DROP(t);
    return status ? -1 : 0;
}

int main(int count, char **arguments) {
    if (count < 3 || VIPS_INIT(arguments[0])) return 2;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    VipsImage *photo = NULL;
    int status = decoded(arguments[1], &photo);
    for (int i = 2; !status && i < count; i++) status = compare(photo, arguments[i]);
    if (status) fprintf(stderr, "%s: %s\n", arguments[1], vips_error_buffer());
    return status ? 1 : 0;
}
