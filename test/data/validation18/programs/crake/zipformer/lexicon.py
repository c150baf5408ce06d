class TokenTable:
    def __init__(self, path):
        self.sym = {}
        for l in open(path, encoding='utf8'):
            s, i = l.split()
            self.sym[s] = int(i)

    def __len__(self): return len(self.sym)

    def encode(self, text): return [self.sym[w] for w in text.split()]
