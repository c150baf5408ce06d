class Dictionary:
    def __init__(self, symbols):
        self.symbols = ['<s>', '<pad>', '</s>', '<unk>'] + symbols

    @classmethod
    def load(cls, path):
        with open(path, encoding='utf-8') as f:
            return cls([l.rsplit(' ', 1)[0] for l in f])

    def __len__(self):
        return len(self.symbols)
