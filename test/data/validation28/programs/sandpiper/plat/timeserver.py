import socket, struct, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 323))
while True:
    _, a = s.recvfrom(64)
    s.sendto(struct.pack("d", time.time()), a)
