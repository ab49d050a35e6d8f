-- Uploads of a megabyte for wrk: each begins like a JPEG file, and no two are the same.
--
-- usage: wrk ... -s uploads.lua URL -- put
--        wrk ... -s uploads.lua URL -- post KEY

dofile((debug.getinfo(1, "S").source:sub(2):match("^(.*/)") or "./") .. "figures.lua")

local size = 1000000
local method, headers, rest, run
local number = 0

function init(arguments)
    math.randomseed(os.time() * 1000 + math.floor(os.clock() * 1e6) % 1000)
    run = ("%d-%d"):format(os.time(), math.random(1000000000))
    local bytes = {}
    for at = 1, size do bytes[at] = string.char(math.random(0, 255)) end
    rest = table.concat(bytes)
    if arguments[1] == "put" then
        method, headers = "PUT", {}
    else
        method = "POST"
        headers = {
            ["Authorization"] = "Bearer " .. arguments[2],
            ["Darkroom-Person"] = "uploader",
            ["Content-Type"] = "image/jpeg",
        }
    end
end

function request()
    number = number + 1
    local head = "\255\216\255\224\0\16JFIF\0\1\1\0\0\1\0\1\0\0" .. ("%s-%d"):format(run, number)
    local path = method == "PUT" and ("/%s-%d.jpg"):format(run, number) or "/v1/uploads"
    return wrk.format(method, path, headers, head .. rest:sub(#head + 1))
end
