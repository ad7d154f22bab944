# expected: never-spent at d_opt (ESRGAN issue 39): main passes g_opt twice
import torch
def main(g, d, loader):
    g_opt = torch.optim.Adam(g.parameters())
    d_opt = torch.optim.Adam(d.parameters())
    for epoch in range(3):
        train(g, d, loader, g_opt, g_opt)
def train(g, d, loader, g_optimizer, d_optimizer):
    for x in loader:
        g.zero_grad()
        gl = d(g(x)).mean()
        gl.backward()
        g_optimizer.step()
        d.zero_grad()
        dl = d(x).mean()
        dl.backward()
        d_optimizer.step()
