-- What a person does in Neovim: opens a file, reads the finding, hovers, applies the repair, saves.
local told = vim.env.ZEROGRAD_TOLD
local out = {}

vim.lsp.start_client({
  name = "zerograd",
  cmd = { vim.env.ZEROGRAD, "server" },
  root_dir = vim.fn.getcwd(),
  on_init = function(client) vim.lsp.buf_attach_client(0, client.id) end,
})

local function finish()
  vim.fn.writefile({ vim.json.encode(out) }, told)
  vim.lsp.stop_client(vim.lsp.get_active_clients())
  vim.wait(5000, function() return #vim.lsp.get_active_clients() == 0 end)
  vim.cmd("qall!")
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local found = vim.diagnostic.get(0)[1]
if not found then
  out.problem = "no diagnostic arrived"
  return finish()
end
out.line = found.lnum + 1
out.code = found.code
out.message = found.message

vim.api.nvim_win_set_cursor(0, { out.line, 6 })
local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
out.hover = hover and hover.contents.value

local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local actions = ask("textDocument/codeAction", params) or {}
out.titles = vim.tbl_map(function(action) return action.title end, actions)
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
out.cleared = vim.wait(60000, function() return #vim.diagnostic.get(0) == 0 end, 50)
vim.cmd("write")
finish()
