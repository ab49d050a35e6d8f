-- wrk's figures as one line of JSON.

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(("{\"requests\":%d,\"seconds\":%.6f,\"failures\":%d,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n"):format(
        summary.requests, summary.duration / 1e6,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
