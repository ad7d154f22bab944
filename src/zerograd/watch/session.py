"""tmp session"""
from __future__ import annotations
from zerograd import hooks
from zerograd.lifecycle import Ledger, Tally
from zerograd.watch.observer import Observer
from zerograd.watch.reading import Reader

class Session:
    def __init__(self):
        self.ledger=Ledger(); self.tally=Tally(); self.log=[]
        self.observer=Observer(self.post, Reader())
    def post(self,event):
        faults=self.ledger.post(event)
        if faults: self.tally.add(faults)
    def start(self): hooks.subscribe(self.observer); self.observer.modules.listen(); return self
    def stop(self, clean=True):
        hooks.unsubscribe(self.observer); self.observer.modules.stop()
        self.tally.add(self.ledger.close(clean=clean))
