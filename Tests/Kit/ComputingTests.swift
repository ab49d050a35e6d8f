// This module is also built with the programs, which have no Testing.
#if canImport(Testing)
    import Foundation
    import Synchronization
    public import Testing

    /// Runs a suite's tests on separate threads.
    ///
    /// All asynchronous tests share as many threads as there are cores. A test that computes for seconds without a
    /// pause holds one of them all that time: on two cores, two such tests stop everything else.
    public struct ComputingTrait: SuiteTrait, TestTrait, TestScoping {
        public var isRecursive: Bool { true }

        public func scopeProvider(for test: Test, testCase: Test.Case?) -> ComputingTrait? {
            testCase == nil ? nil : self
        }

        public func provideScope(
            for test: Test, testCase: Test.Case?,
            performing function: @Sendable @concurrent () async throws -> Void
        ) async throws {
            try await withTaskExecutorPreference(ComputingThreads.shared) { try await function() }
        }
    }

    extension Trait where Self == ComputingTrait {
        /// For tests that compute for long without a pause.
        public static var computing: Self { ComputingTrait() }
    }

    /// Two threads, which the system's scheduler treats as fairly as those of all other tests.
    private final class ComputingThreads: TaskExecutor {
        static let shared = ComputingThreads()

        private let waiting = Mutex<[UnownedJob]>([])
        private let available = DispatchSemaphore(value: 0)

        private init() {
            for _ in 0..<2 {
                Thread.detachNewThread {
                    while true {
                        self.available.wait()
                        let job = self.waiting.withLock { $0.removeFirst() }
                        job.runSynchronously(on: self.asUnownedTaskExecutor())
                    }
                }
            }
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            waiting.withLock { $0.append(job) }
            available.signal()
        }
    }
#endif
