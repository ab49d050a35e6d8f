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

/// A module is named after its folder: `Queue/Worker` is the module `Worker` in `Sources/Queue/Worker`.
func name(of folder: String) -> String { String(folder.split(separator: "/").last!) }

func module(_ folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name(of: folder), dependencies: dependencies, path: "Sources/\(folder)", swiftSettings: strict)
}

func executable(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name(of: folder), dependencies: dependencies, path: "Sources/\(folder)", swiftSettings: strict)
}

func tests(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name(of: folder), dependencies: dependencies, path: "Tests/\(folder)", swiftSettings: strict)
}

/// A C library from Debian.
func library(_ name: String, _ pkgConfig: String, _ debian: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Platform/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

/// C of our own, for what Swift cannot import.
func shims(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Platform/C/\(name)")
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
        library("CLibPQ", "libpq", "libpq-dev"),
        library("CVips", "vips", "libvips-dev"),
        library("CExif", "libexif", "libexif-dev"),
        library("CCrypto", "libcrypto", "libssl-dev"),
        library("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        library("CSystemd", "libsystemd", "libsystemd-dev"),
        library("CWebPMux", "libwebpmux", "libwebp-dev"),
        library("CZlib", "zlib", "zlib1g-dev"),
        library("CSeccomp", "libseccomp", "libseccomp-dev"),
        // For tests alone.
        library("CLittleCMS", "lcms2", "liblcms2-dev"),
        shims("CVipsShims", ["CVips", "CWebPMux"]),
        shims("CLinux"),

        // Leaves: each knows nothing of the others.
        module("Platform/PlainText"),
        module("Platform/CivilCalendar", ["PlainText"]),
        module("Platform/Threads", ["CLinux"]),

        // What knows only those.
        module("Platform/Telemetry", ["CivilCalendar", "PlainText"]),
        module("Queue/JobQueue", ["CivilCalendar"]),
        module("Platform/Postgres", ["CLibPQ", "CLinux", "CivilCalendar", "PlainText", "Threads"]),
        module("Platform/ChildProcess", ["CLinux", "Threads"]),
        module("Places/Gazetteer", ["ChildProcess", "PlainText"]),
        module("Media/MediaStore", ["CCrypto", "CLinux", "PlainText", "Threads"]),
        module("Photos/Imaging", ["CLinux", "PlainText", "Threads"]),
        module("Platform/Arguments", ["CivilCalendar", "PlainText"]),
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
        module("Platform/HTTPServer", ["CMicroHTTPD", "Threads"]),
        module("Platform/ServiceManager", ["CSystemd", "Threads"]),

        // The hostile side: the only code that parses an image.
        module(
            "Photos/Rendering",
            ["CExif", "CLinux", "CSeccomp", "CVips", "CVipsShims", "CZlib", "CivilCalendar", "Imaging"]),
        executable("Photos/Renderer", ["Rendering", "Imaging"]),

        // The way of a photo.
        module("Platform/LocalCluster", ["ChildProcess", "PlainText", "Postgres", "Threads"]),
        module(
            "Queue/JobStore",
            ["CivilCalendar", "JobQueue", "Migrations", "PlainText", "Postgres", "Telemetry"]),
        module("Posts/Posts", ["JobQueue", "JobStore", "PlainText", "Postgres", "Telemetry"]),
        module(
            "Posts/Ingestion",
            [
                "JobQueue", "JobStore", "Posts", "Gazetteer", "MediaStore", "Imaging", "Postgres",
                "Telemetry",
                "Threads",
            ]),
        module("Queue/Worker", ["JobQueue", "JobStore", "Postgres", "Telemetry"]),
        module("Client/DarkroomClient", ["MediaStore", "Postgres"]),
        module(
            "Command/Benchmarking",
            [
                "ChildProcess", "DarkroomClient", "Gazetteer", "Imaging", "JobQueue", "JobStore", "Postgres",
                "Telemetry", "Threads", "Worker",
            ]),
        executable(
            "Command/CLI",
            [
                "Arguments", "Benchmarking", "CLinux", "DarkroomClient", "Gazetteer",
                "HTTPServer", "Imaging",
                "Ingestion", "JobQueue", "JobStore", "LocalCluster", "MediaStore", "Migrations", "PlainText",
                "Posts", "Postgres", "ServiceManager", "Telemetry", "Threads", "Worker",
            ]),

        .target(
            name: "TestKit",
            dependencies: [
                "CLinux", "CLittleCMS", "CVips", "CVipsShims", "CZlib", "ChildProcess", "JobQueue",
                "JobStore",
                "LocalCluster", "Postgres", "Threads",
            ],
            path: "Tests/Kit", swiftSettings: strict),
        // A renderer gone bad: does what a hostile photo would make it do.
        .executableTarget(
            name: "Breakout", dependencies: ["CBreakout", "Imaging", "Rendering"],
            path: "Tests/Photos/Breakout",
            swiftSettings: strict),
        .target(name: "CBreakout", path: "Tests/Photos/CBreakout"),
        tests("Platform/ArgumentsTests", ["Arguments", "PlainText"]),
        tests("Platform/CivilCalendarTests", ["CivilCalendar"]),
        tests("Platform/PlainTextTests", ["PlainText"]),
        tests("Platform/ThreadsTests", ["Threads"]),
        tests("Command/BenchmarkingTests", ["Benchmarking"]),
        tests("Client/DarkroomClientTests", ["DarkroomClient", "JobStore", "Postgres", "TestKit"]),
        tests("Places/GazetteerTests", ["ChildProcess", "Gazetteer", "TestKit"]),
        tests("Platform/HTTPServerTests", ["ChildProcess", "HTTPServer", "Telemetry", "TestKit"]),
        tests(
            "Photos/ImagingTests",
            ["Breakout", "CLinux", "ChildProcess", "Imaging", "Renderer", "Rendering", "TestKit"]),
        tests(
            "Posts/IngestionTests",
            [
                "ChildProcess", "Ingestion", "JobQueue", "JobStore", "MediaStore", "Posts", "Postgres",
                "Telemetry", "TestKit",
            ]),
        tests("Queue/JobQueueTests", ["CivilCalendar", "JobQueue"]),
        tests("Queue/JobStoreTests", ["JobStore", "JobQueue", "Migrations", "Postgres", "TestKit"]),
        tests("Media/MediaStoreTests", ["MediaStore", "TestKit"]),
        tests("Platform/PostgresTests", ["ChildProcess", "Postgres", "LocalCluster", "TestKit"]),
        tests("Posts/PostsTests", ["JobQueue", "JobStore", "Posts", "Postgres", "Telemetry", "TestKit"]),
        tests("Platform/ServiceManagerTests", ["ChildProcess", "ServiceManager", "TestKit"]),
        tests("Platform/TelemetryTests", ["ChildProcess", "JobQueue", "Telemetry", "TestKit"]),
        tests(
            "Queue/WorkerTests",
            ["JobQueue", "JobStore", "LocalCluster", "Postgres", "Telemetry", "TestKit", "Worker"]),
        tests(
            "Command/IntegrationTests",
            [
                "CLI", "ChildProcess", "DarkroomClient", "Gazetteer", "Imaging", "Ingestion", "JobQueue",
                "JobStore", "MediaStore", "Migrations", "Posts", "Postgres", "Renderer", "TestKit", "Threads",
                "Worker",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
