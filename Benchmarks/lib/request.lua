-- What wrk sends, by the environment: METHOD, BODY_FILE, BODY_TEMPLATE (a file in which every {n} becomes a number that
-- no other request of this machine has had), INTERVAL_MS (the pause before each request of a connection).
-- Prints one line: requests per second, p50 and p99 in milliseconds, failures, requests. These are not the rate times the
-- seconds that wrk was told, because it may run a tenth of a second longer.

wrk.method = os.getenv("METHOD") or "GET"

local template = os.getenv("BODY_TEMPLATE")
local path = template or os.getenv("BODY_FILE")
if path then
  local file = assert(io.open(path, "rb"))
  wrk.body = file:read("*a")
  file:close()
  -- One in sixteen random photos contains {n}.
  if template then
    local run = os.time() .. tostring({}):match("0x(%w+)")
    local counter = 0
    function request()
      counter = counter + 1
      return wrk.format(nil, nil, nil, (wrk.body:gsub("{n}", run .. "-" .. counter)))
    end
  end
end

local interval = tonumber(os.getenv("INTERVAL_MS") or "")
if interval then
  function delay() return interval end
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("measured %.2f %.4f %.4f %d %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, failures, summary.requests))
end
