// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func systemLibrary(_ name: String, _ pkgConfig: String, _ debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let package = Package(
    name: "darkroom",
    products: [
        .library(name: "DarkroomClient", targets: ["DarkroomClient"]),
        .executable(name: "darkroom", targets: ["CLI"]),
        .executable(name: "darkroom-renderer", targets: ["Renderer"]),
    ],
    targets: [
        // C libraries from Debian, each imported by its one wrapper.
        systemLibrary("CLibPQ", "libpq", "libpq-dev"),
        systemLibrary("CVips", "vips", "libvips-dev"),
        systemLibrary("CExif", "libexif", "libexif-dev"),
        systemLibrary("CCrypto", "libcrypto", "libssl-dev"),
        systemLibrary("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        systemLibrary("CSystemd", "libsystemd", "libsystemd-dev"),
        systemLibrary("CWebPMux", "libwebpmux", "libwebp-dev"),
        systemLibrary("CZlib", "zlib", "zlib1g-dev"),
        systemLibrary("CSeccomp", "libseccomp", "libseccomp-dev"),
        // For tests alone.
        systemLibrary("CLittleCMS", "lcms2", "liblcms2-dev"),
        .target(name: "CVipsShims", dependencies: ["CVips", "CWebPMux"]),
        .target(name: "CLinux"),

        // Leaves: each knows nothing of the others.
        module("Telemetry"),
        module("JobQueue"),
        module("Postgres", ["CLibPQ", "CLinux"]),
        module("ChildProcess", ["CLinux"]),
        module("Gazetteer", ["ChildProcess"]),
        module("MediaStore", ["CCrypto", "CLinux"]),
        module("Imaging", ["CLinux"]),
        module("Arguments"),
        .target(
            name: "Migrations", path: "sql", exclude: ["README.md"],
            resources: [
                .embedInCode("v0001_queue.sql"), .embedInCode("v0002_posts.sql"),
                .embedInCode("v0003_moderation.sql"), .embedInCode("v0004_api.sql"),
                .embedInCode("v0005_queue_words.sql"), .embedInCode("v0006_queue_lanes.sql"),
                .embedInCode("v0007_queue_claims.sql"), .embedInCode("v0008_queue_operations.sql"),
                .embedInCode("v0009_rendition_formats.sql"),
                .embedInCode("v0010_local_times.sql"), .embedInCode("v0011_locations.sql"),
                .embedInCode("v0012_review.sql"), .embedInCode("v0013_post_words.sql"),
                .embedInCode("v0014_votes.sql"), .embedInCode("v0015_feeds.sql"),
                .embedInCode("v0016_readers.sql"), .embedInCode("v0017_nearby.sql"),
                .embedInCode("v0018_boards_and_map.sql"), .embedInCode("v0019_leaving.sql"),
                .embedInCode("v0020_roles.sql"), .embedInCode("v0021_events.sql"),
                .embedInCode("v0022_posting_policies.sql"),
                .embedInCode("v0023_feed_windows.sql"), .embedInCode("v0024_repairs.sql"),
                .embedInCode("v0025_held_and_words.sql"), .embedInCode("v0026_last_acts.sql"),
                .embedInCode("v0027_covering_indexes.sql"),
                .embedInCode("v0028_uploads_in_turn.sql"),
                .embedInCode("v0029_near_lists.sql"),
                .embedInCode("v0030_clean_texts.sql"),
                .embedInCode("v0031_fair_moderation.sql"),
            ], swiftSettings: strict),

        // What a process tells of itself.
        module("HTTPServer", ["ChildProcess", "CMicroHTTPD"]),
        module("ServiceManager", ["ChildProcess", "CSystemd"]),

        // The hostile side: the only code that parses an image.
        module("Rendering", ["Imaging", "CVips", "CVipsShims", "CExif", "CLinux", "CSeccomp", "CZlib"]),
        .executableTarget(
            name: "Renderer", dependencies: ["Rendering", "Imaging"], swiftSettings: strict),

        // The way of a photo.
        module("LocalCluster", ["ChildProcess", "Postgres"]),
        module("JobStore", ["JobQueue", "Postgres", "Migrations", "Telemetry"]),
        module("Posts", ["JobQueue", "JobStore", "Postgres", "Telemetry"]),
        module(
            "Ingestion",
            [
                "ChildProcess", "JobQueue", "JobStore", "Posts", "Gazetteer", "MediaStore", "Imaging",
                "Postgres", "Telemetry",
            ]),
        module("Worker", ["JobQueue", "JobStore", "Postgres", "Telemetry"]),
        module("DarkroomClient", ["MediaStore", "Postgres"]),
        module(
            "Benchmarking",
            [
                "ChildProcess", "DarkroomClient", "Gazetteer", "Imaging", "JobQueue", "JobStore", "Postgres",
                "Telemetry", "Worker",
            ]),
        .executableTarget(
            name: "CLI",
            dependencies: [
                "Arguments", "Benchmarking", "CLinux", "ChildProcess", "DarkroomClient", "Gazetteer",
                "HTTPServer", "Imaging",
                "Ingestion", "JobQueue", "JobStore", "LocalCluster", "MediaStore", "Migrations", "Posts",
                "Postgres", "ServiceManager", "Telemetry", "Worker",
            ],
            swiftSettings: strict),

        .target(
            name: "TestKit",
            dependencies: [
                "CLinux", "CLittleCMS", "CVips", "CVipsShims", "CZlib", "ChildProcess", "JobQueue",
                "JobStore",
                "LocalCluster", "Postgres",
            ],
            path: "Tests/TestKit", swiftSettings: strict),
        // A renderer gone bad: does what a hostile photo would make it do.
        .executableTarget(
            name: "Breakout", dependencies: ["CBreakout", "Imaging", "Rendering"], path: "Tests/Breakout",
            swiftSettings: strict),
        .target(name: "CBreakout", path: "Tests/CBreakout"),
        tests("ArgumentsTests", ["Arguments"]),
        tests("BenchmarkingTests", ["Benchmarking"]),
        tests("DarkroomClientTests", ["DarkroomClient", "JobStore", "Postgres", "TestKit"]),
        tests("GazetteerTests", ["ChildProcess", "Gazetteer", "TestKit"]),
        tests("HTTPServerTests", ["ChildProcess", "HTTPServer", "Telemetry", "TestKit"]),
        tests(
            "ImagingTests",
            ["Breakout", "CLinux", "ChildProcess", "Imaging", "Renderer", "Rendering", "TestKit"]),
        tests(
            "IngestionTests",
            [
                "ChildProcess", "Ingestion", "JobQueue", "JobStore", "MediaStore", "Posts", "Postgres",
                "Telemetry", "TestKit",
            ]),
        tests("JobQueueTests", ["JobQueue"]),
        tests("JobStoreTests", ["JobStore", "JobQueue", "Migrations", "Postgres", "TestKit"]),
        tests("MediaStoreTests", ["MediaStore", "TestKit"]),
        tests("PostgresTests", ["ChildProcess", "Postgres", "LocalCluster", "TestKit"]),
        tests("PostsTests", ["JobQueue", "JobStore", "Posts", "Postgres", "Telemetry", "TestKit"]),
        tests("ServiceManagerTests", ["ChildProcess", "ServiceManager", "TestKit"]),
        tests("TelemetryTests", ["ChildProcess", "JobQueue", "Telemetry", "TestKit"]),
        tests(
            "WorkerTests",
            ["JobQueue", "JobStore", "LocalCluster", "Postgres", "Telemetry", "TestKit", "Worker"]),
        tests(
            "IntegrationTests",
            [
                "CLI", "ChildProcess", "DarkroomClient", "Gazetteer", "Imaging", "Ingestion", "JobQueue",
                "JobStore", "MediaStore", "Migrations", "Posts", "Postgres", "Renderer", "TestKit", "Worker",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
