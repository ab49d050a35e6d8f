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

/// Tests see what is internal, also in a release: they test the objects that users run.
let testable: SwiftSetting = .unsafeFlags(["-enable-testing"], .when(configuration: .release))
/// Tests themselves compute little; optimizing them takes minutes. What would read all sources a second time, to say early what is in
/// a module, helps nobody: whatever waits for that waits for the code as well.
let unoptimized: SwiftSetting = .unsafeFlags(
    ["-Onone", "-no-emit-module-separately-wmo", "-index-ignore-system-modules"],
    .when(configuration: .release))

/// Programs need no Swift on the machine that they run on. The option `--static-swift-stdlib` would also compile for that,
/// and tests that are compiled so do not find the Testing library.
let standalone: [LinkerSetting] = [
    .unsafeFlags([
        "-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims", "-lswiftSynchronization",
    ])
]

/// A module is named after its folder, unless it is given another name: `Queue/Worker` is the module `Worker` in
/// `Sources/Queue/Worker`.
func name(of folder: String) -> String { String(folder.split(separator: "/").last!) }

func module(
    _ folder: String, _ dependencies: [Target.Dependency] = [], embedding files: [String] = [],
    plugins: [Target.PluginUsage] = [], in root: String = "Sources"
) -> Target {
    .target(
        name: name(of: folder), dependencies: dependencies, path: "\(root)/\(folder)",
        resources: files.map { .embedInCode($0) },
        swiftSettings: strict + [testable],
        plugins: plugins)
}

/// For those who work on Darkroom: `darkroom` links none of it, and no image contains it.
func tool(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    module(folder, dependencies, in: "Tools")
}

func executable(
    _ folder: String, named given: String? = nil, in root: String = "Sources",
    _ dependencies: [Target.Dependency]
) -> Target {
    .executableTarget(
        name: given ?? name(of: folder), dependencies: dependencies, path: "\(root)/\(folder)",
        swiftSettings: strict, linkerSettings: standalone)
}

func tests(_ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name(of: folder), dependencies: dependencies, path: "Tests/\(folder)",
        swiftSettings: strict + [unoptimized])
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
        .executable(name: "darkroom-dev", targets: ["DarkroomDev"]),
    ],
    targets: [
        // C libraries from Debian, each imported by its one wrapper.
        library("CLibPQ", "libpq", "libpq-dev"),
        library("CVips", "vips", "libvips-dev"),
        library("CExif", "libexif", "libexif-dev"),
        library("CCrypto", "libcrypto", "libssl-dev"),
        library("CCurl", "libcurl", "libcurl4-openssl-dev"),
        library("CExpat", "expat", "libexpat1-dev"),
        library("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        library("CSystemd", "libsystemd", "libsystemd-dev"),
        library("CWebPMux", "libwebpmux", "libwebp-dev"),
        library("CZlib", "zlib", "zlib1g-dev"),
        library("CSeccomp", "libseccomp", "libseccomp-dev"),
        // For tests alone.
        library("CLittleCMS", "lcms2", "liblcms2-dev"),
        shims("CVipsShims", ["CVips", "CWebPMux"]),
        shims("CLinux"),
        // Replaces malloc: for the renderer alone.
        shims("CFaults"),

        // Leaves: what all others may use.
        module("Platform/PlainText"),
        module("Platform/CivilCalendar", ["PlainText"]),
        module("Platform/Threads", ["CLinux"]),
        module("Platform/Digests", ["CCrypto", "PlainText"]),

        // Each knows nothing of the others.
        module("Platform/Telemetry", ["CivilCalendar", "PlainText", "Threads"]),
        module("Queue/JobQueue", ["CivilCalendar"]),
        module("Platform/Postgres", ["CLibPQ", "CLinux", "CivilCalendar", "PlainText", "Threads"]),
        module("Platform/ChildProcess", ["CLinux", "Threads"]),
        module("Places/Gazetteer", ["ChildProcess", "PlainText"]),
        module(
            "Media/ObjectStorage",
            ["CCurl", "CExpat", "CivilCalendar", "Digests", "PlainText", "Threads"]),
        module("Photos/Imaging", ["CLinux", "PlainText", "Threads"]),
        module("Platform/Arguments", ["CivilCalendar", "PlainText"]),
        module("Platform/Schema", ["PlainText", "Postgres"], plugins: ["SchemaPlugin"]),

        executable("Platform/SchemaEmbedder", []),
        .plugin(
            name: "SchemaPlugin", capability: .buildTool(), dependencies: ["SchemaEmbedder"],
            path: "Sources/Platform/SchemaPlugin"),

        module("Media/MediaStore", ["CLinux", "Digests", "ObjectStorage", "PlainText", "Threads"]),

        // What a process tells of itself.
        module("Platform/HTTPServer", ["CMicroHTTPD", "Threads"]),
        module("Platform/ServiceManager", ["CSystemd", "Threads"]),

        // Who asks the server, and how often.
        module("Web/Tokens", ["Digests", "Threads"]),
        // The files of web apps, and who visits the demo.
        module("Web/Pages", ["Digests", "HTTPServer", "Tokens"]),

        // The hostile side: the only code that parses an image.
        module(
            "Photos/Rendering",
            [
                "CExif", "CExpat", "CFaults", "CLinux", "CSeccomp", "CVips", "CVipsShims", "CZlib",
                "CivilCalendar", "Imaging", "PlainText",
            ]),
        executable("Photos/Renderer", ["Rendering", "Imaging"]),

        // The way of a photo.
        module("Platform/LocalCluster", ["ChildProcess", "PlainText", "Postgres", "Threads"]),
        module("Queue/JobStore", ["CivilCalendar", "JobQueue", "Postgres", "Telemetry"]),
        module(
            "Posts/Posts", ["CivilCalendar", "JobQueue", "JobStore", "PlainText", "Postgres", "Telemetry"]),
        module(
            "Posts/Ingestion",
            [
                "CivilCalendar", "Digests", "JobQueue", "JobStore", "Posts", "Gazetteer", "MediaStore",
                "Imaging", "Postgres",
                "Telemetry",
                "Threads",
            ]),
        module("Queue/Worker", ["JobQueue", "JobStore", "Postgres", "Telemetry"]),
        module("Client/DarkroomClient", ["Digests", "MediaStore", "ObjectStorage", "Postgres"]),
        .executableTarget(
            name: "Drafts", dependencies: ["CLibPQ", "DarkroomClient"], path: "examples/drafts",
            swiftSettings: strict, linkerSettings: standalone),
        module(
            "Web/API",
            [
                "DarkroomClient", "Digests", "HTTPServer", "Imaging", "MediaStore", "Pages", "PlainText",
                "Postgres",
                "Telemetry", "Tokens",
            ]),
        module(
            "Web/Console",
            [
                "CivilCalendar", "Digests", "Gazetteer", "HTTPServer", "Imaging", "Ingestion", "JobQueue",
                "JobStore", "MediaStore", "ObjectStorage", "Pages", "Postgres", "Posts", "Telemetry",
                "Tokens",
            ], embedding: ["Files/console.css", "Files/console.js"]),
        // The command lines, and what they share.
        module(
            "Command/CommandSupport",
            [
                "Arguments", "DarkroomClient", "Digests", "Gazetteer", "Imaging", "LocalCluster", "Postgres",
                "Schema", "Threads",
            ]),
        executable(
            "Command/CLI",
            [
                "API", "Arguments", "CLinux", "CivilCalendar", "CommandSupport", "Console", "DarkroomClient",
                "Gazetteer", "HTTPServer",
                "Imaging",
                "Ingestion", "JobQueue", "JobStore", "LocalCluster", "MediaStore", "Pages", "PlainText",
                "Posts",
                "Postgres", "Schema", "ServiceManager", "Telemetry", "Threads", "Tokens", "Worker",
            ]),

        // `darkroom-dev`, and what it shares with the tests.
        tool("Proxying", ["ChildProcess", "CLinux", "Threads"]),
        tool("LocalObjectStore", ["ChildProcess", "Threads"]),
        tool("GazetteerVerification", ["Gazetteer"]),
        tool("ReferencePages", ["ChildProcess", "LocalCluster", "Postgres", "Schema"]),
        tool(
            "Benchmarking",
            [
                "ChildProcess", "DarkroomClient", "Gazetteer", "GazetteerVerification", "Imaging", "JobQueue",
                "JobStore", "LocalCluster", "LocalObjectStore", "ObjectStorage", "Postgres", "Proxying",
                "Schema", "Telemetry", "Threads", "Tokens", "Worker",
            ]),
        tool(
            "Chaos",
            [
                "ChildProcess", "DarkroomClient", "Digests", "JobQueue", "JobStore", "LocalCluster",
                "LocalObjectStore", "MediaStore", "ObjectStorage", "Postgres", "Proxying", "Schema",
                "Threads",
            ]),
        executable(
            "Dev", named: "DarkroomDev", in: "Tools",
            [
                "Arguments", "Benchmarking", "Chaos", "ChildProcess", "CommandSupport", "Gazetteer",
                "GazetteerVerification", "Imaging", "JobQueue", "JobStore", "Postgres", "ReferencePages",
                "Telemetry",
                "Threads", "Worker",
            ]),

        .target(
            name: "TestKit",
            dependencies: [
                "CLinux", "CLittleCMS", "CVips", "CVipsShims", "CZlib", "ChildProcess", "JobQueue",
                "JobStore",
                "LocalCluster", "LocalObjectStore", "ObjectStorage", "Postgres", "Proxying", "Schema",
                "Threads",
            ],
            path: "Tests/Kit", swiftSettings: strict + [unoptimized]),
        // A renderer gone bad: does what a hostile photo would make it do.
        .executableTarget(
            name: "Breakout", dependencies: ["CBreakout", "Imaging", "Rendering"],
            path: "Tests/Photos/Breakout",
            swiftSettings: strict, linkerSettings: standalone),
        .target(name: "CBreakout", path: "Tests/Photos/CBreakout"),
        tests("Platform/ArgumentsTests", ["Arguments", "PlainText"]),
        tests("Platform/CivilCalendarTests", ["CivilCalendar"]),
        tests("Platform/PlainTextTests", ["PlainText"]),
        tests("Platform/ChildProcessTests", ["ChildProcess"]),
        tests("Platform/DigestsTests", ["Digests"]),
        tests("Platform/ThreadsTests", ["Threads"]),
        tests(
            "Tools/BenchmarkingTests",
            ["Benchmarking", "JobQueue", "JobStore", "Postgres", "Telemetry", "TestKit", "Worker"]),
        tests("Tools/ChaosTests", ["Chaos", "Digests", "JobQueue", "JobStore", "Postgres", "TestKit"]),
        tests(
            "Tools/ReferencePagesTests",
            ["ChildProcess", "Ingestion", "JobStore", "Postgres", "ReferencePages", "Schema", "TestKit"]),
        tests(
            "Client/DarkroomClientTests",
            [
                "ChildProcess", "DarkroomClient", "Digests", "JobStore", "MediaStore", "ObjectStorage",
                "Postgres", "TestKit",
            ]),
        tests("Places/GazetteerTests", ["ChildProcess", "Gazetteer", "GazetteerVerification", "TestKit"]),
        tests("Platform/HTTPServerTests", ["ChildProcess", "HTTPServer", "Telemetry", "TestKit", "Threads"]),
        tests(
            "Photos/ImagingTests",
            ["CLinux", "ChildProcess", "Imaging", "Rendering", "TestKit", "Threads"]),
        tests(
            "Posts/IngestionTests",
            [
                "ChildProcess", "Digests", "Gazetteer", "Imaging", "Ingestion", "JobQueue", "JobStore",
                "MediaStore",
                "Posts", "Postgres", "Telemetry", "TestKit",
            ]),
        // Visits millions of states.
        .target(
            name: "QueueModel", path: "Tests/Queue/QueueModel",
            swiftSettings: strict),
        tests("Queue/QueueModelTests", ["JobQueue", "JobStore", "Postgres", "QueueModel", "TestKit"]),
        tests("Queue/JobQueueTests", ["CivilCalendar", "JobQueue", "TestKit"]),
        tests(
            "Queue/JobStoreTests", ["JobStore", "JobQueue", "LocalCluster", "Postgres", "Schema", "TestKit"]),
        tests(
            "Media/MediaStoreTests",
            ["ChildProcess", "Digests", "MediaStore", "ObjectStorage", "Proxying", "TestKit"]),
        // Its memory is measured.
        .executableTarget(
            name: "StoreCopy", dependencies: ["Digests", "ObjectStorage"], path: "Tests/Media/StoreCopy",
            swiftSettings: strict, linkerSettings: standalone),
        tests(
            "Media/ObjectStorageTests",
            [
                "CivilCalendar", "ChildProcess", "Digests", "ObjectStorage", "PlainText", "Proxying",
                "TestKit",
                "Threads",
            ]),
        tests("Platform/PostgresTests", ["ChildProcess", "Postgres", "Proxying", "LocalCluster", "TestKit"]),
        tests("Posts/PostsTests", ["JobQueue", "JobStore", "Posts", "Postgres", "Telemetry", "TestKit"]),
        tests("Platform/SchemaTests", ["JobStore", "Postgres", "ReferencePages", "Schema", "TestKit"]),
        tests("Platform/ServiceManagerTests", ["ChildProcess", "ServiceManager", "TestKit"]),
        tests("Platform/TelemetryTests", ["ChildProcess", "JobQueue", "PlainText", "Telemetry", "TestKit"]),
        tests("Web/ConsoleTests", ["Console"]),
        tests("Web/PagesTests", ["HTTPServer", "Pages", "TestKit", "Tokens"]),
        // Signs tokens.
        tests("Web/TokensTests", ["CCrypto", "ChildProcess", "Digests", "TestKit", "Threads", "Tokens"]),
        tests(
            "Queue/WorkerTests",
            [
                "JobQueue", "JobStore", "LocalCluster", "Postgres", "Proxying", "Schema", "Telemetry",
                "TestKit",
                "Worker",
            ]),
        tests(
            "Command/IntegrationTests",
            [
                "Chaos", "ChildProcess", "CommandSupport", "DarkroomClient", "Digests", "Gazetteer",
                "Imaging", "Ingestion",
                "JobQueue", "JobStore", "MediaStore", "ObjectStorage", "Schema", "Posts", "Postgres",
                "Proxying", "TestKit", "Threads", "Worker",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
