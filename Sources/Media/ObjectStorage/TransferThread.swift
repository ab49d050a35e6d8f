import CCurl
import Synchronization
import Threads

/// The thread that all transfers of a client are made on, with its open connections.
///
/// Files are read and written on it too: a disk that hangs holds up all transfers, and none of Swift's threads.
final class TransferThread: Sendable {
    private struct State {
        var added: [Transfer] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    /// Touched only on the thread, but for `curl_multi_wakeup`, which may be called on any.
    nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(ObjectStoreError) {
        guard Self.isReady, let multi = curl_multi_init() else {
            throw ObjectStoreError(
                .connection, operation: "start libcurl", message: "it has no memory; free some")
        }
        self.multi = multi
        do {
            try startThread(named: "object-store") { [self] in run() }
        } catch {
            throw ObjectStoreError(
                .connection, operation: "start a thread for the object store",
                message: "\(error); raise the limit of processes")
        }
    }

    deinit { curl_multi_cleanup(multi) }

    /// Ends the thread once the transfers that it has are done.
    func stop() {
        state.withLock { $0.isStopping = true }
        curl_multi_wakeup(multi)
    }

    /// Makes one exchange. Cancelling the task ends it, and closes its connection.
    func run(_ call: TransferCall) async throws -> TransferReply {
        let cancellation = Mutex<Transfer?>(nil)
        let outcome: Transfer.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let transfer = Transfer(call) { continuation.resume(returning: $0) }
                cancellation.withLock { $0 = transfer }
                if Task.isCancelled { transfer.isCancelled.store(true, ordering: .releasing) }
                state.withLock { $0.added.append(transfer) }
                curl_multi_wakeup(multi)
            }
        } onCancel: {
            cancellation.withLock { $0?.isCancelled.store(true, ordering: .releasing) }
            curl_multi_wakeup(multi)
        }
        if case .failure(let fault) = outcome, fault.kind == .cancelled { throw CancellationError() }
        return try outcome.get()
    }

    private func run() {
        var running: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            let (added, isStopping) = state.withLock { state in
                defer { state.added = [] }
                return (state.added, state.isStopping)
            }
            for transfer in added {
                guard transfer.prepare(), let handle = transfer.handle,
                    curl_multi_add_handle(multi, handle) == CURLM_OK
                else {
                    transfer.fail(.client)
                    continue
                }
                running[handle] = transfer
            }
            for (handle, transfer) in running where transfer.isCancelled.load(ordering: .acquiring) {
                curl_multi_remove_handle(multi, handle)
                running[handle] = nil
                transfer.fail(.cancelled)
            }
            var count: CInt = 0
            curl_multi_perform(multi, &count)
            finish(&running)
            if isStopping, running.isEmpty { return }
            // Returns as soon as a socket is ready, curl has a deadline, or it is woken.
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
    }

    private func finish(_ running: inout [UnsafeMutableRawPointer: Transfer]) {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else {
                continue
            }
            // The message is gone once the handle is.
            let code = curl_shim_result(message)
            curl_multi_remove_handle(multi, handle)
            running.removeValue(forKey: handle)?.end(code)
        }
    }
}
