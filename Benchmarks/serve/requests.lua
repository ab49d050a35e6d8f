-- The requests of one kind for wrk, and its figures as one line of JSON.
--
-- usage: wrk ... -s requests.lua URL -- KIND FILE KEY
--
-- KIND is nearest, clusters, post or vote. FILE has lines of latitude, longitude and number of a post. KEY is an API key, for
-- the votes: each has another voter.

dofile((debug.getinfo(1, "S").source:sub(2):match("^(.*/)") or "./") .. "figures.lua")

local bodies = {}
local kind, key, place
local voters = 0
local threads = 0

local function paths(kind, latitude, longitude, post)
    if kind == "nearest" then
        return ("/v1/posts/nearest?latitude=%s&longitude=%s"):format(latitude, longitude)
    elseif kind == "clusters" then
        local south, north = math.max(-90, latitude - 0.03), math.min(90, latitude + 0.03)
        local west, east = math.max(-180, longitude - 0.08), math.min(180, longitude + 0.08)
        return ("/v1/map/clusters?south=%.6f&west=%.6f&north=%.6f&east=%.6f&zoom=14"):format(south, west, north, east)
    elseif kind == "vote" then
        return ("/v1/posts/%s/vote"):format(post)
    end
    return ("/v1/posts/%s"):format(post)
end

function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

function init(arguments)
    kind, key = arguments[1], arguments[3]
    for line in io.lines(arguments[2]) do
        local latitude, longitude, post = line:match("^(%S+)\t(%S+)\t(%S+)$")
        local path = paths(kind, latitude, longitude, post)
        bodies[#bodies + 1] = kind == "vote" and path or wrk.format("GET", path)
    end
    math.randomseed(os.time() + number)
    place = math.random(#bodies)
end

function request()
    place = place % #bodies + 1
    if kind ~= "vote" then return bodies[place] end
    voters = voters + 1
    return wrk.format("PUT", bodies[place], {
        ["Authorization"] = "Bearer " .. key,
        ["Darkroom-Person"] = ("voter-%d-%d-%d"):format(os.time(), number, voters),
        ["Content-Type"] = "application/json",
    }, '{"vote":"like"}')
end
