-- Requests for wrk: each is a random line of a file. Tabs separate the path, the header names and their values.
local requests = {}

function init(arguments)
  for line in io.lines(arguments[1]) do
    local path, headers, name = nil, {}, nil
    for part in line:gmatch("[^\t]+") do
      if not path then
        path = part
      elseif not name then
        name = part
      else
        headers[name], name = part, nil
      end
    end
    requests[#requests + 1] = wrk.format("GET", path, headers)
  end
  math.randomseed(os.time())
end

function request()
  return requests[math.random(#requests)]
end
