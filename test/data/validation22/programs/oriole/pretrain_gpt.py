from oriole.training import pretrain

if __name__ == "__main__":
    pretrain()
