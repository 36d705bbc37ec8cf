-- Requests for wrk: each is a random line of a file. Tabs separate the method, the body, the path, the header names and
-- their values.
local requests = {}

function init(arguments)
  for line in io.lines(arguments[1]) do
    local parts, headers = {}, {}
    for part in (line .. "\t"):gmatch("([^\t]*)\t") do
      parts[#parts + 1] = part
    end
    for n = 4, #parts, 2 do
      headers[parts[n]] = parts[n + 1]
    end
    requests[#requests + 1] = wrk.format(parts[1], parts[3], headers, parts[2] ~= "" and parts[2] or nil)
  end
  math.randomseed(os.time())
end

function request()
  return requests[math.random(#requests)]
end
