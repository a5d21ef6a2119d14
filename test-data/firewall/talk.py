"""Servers and clients of record.sh: ssh's greeting, pages of the web, pings, and what strangers try."""

import socket
import struct
import sys
import threading
import time

SERVER = {socket.AF_INET: "198.51.100.10", socket.AF_INET6: "2001:db8:2::10"}
PAGE = b"HTTP/1.0 200 OK\r\n\r\n" + b"page " * 400


def serve():
    def listen(family, port, answer):
        with socket.socket(family, socket.SOCK_STREAM) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind((SERVER[family], port))
            door.listen()
            while True:
                caller, _ = door.accept()
                with caller:
                    answer(caller)

    def page(caller):
        caller.recv(1000)
        caller.sendall(PAGE)

    def shell(caller):
        caller.sendall(b"SSH-2.0-example\r\n")
        while caller.recv(1000):
            caller.sendall(b"answer")

    for family, port, answer in ((2, 22, shell), (2, 80, page), (10, 80, page), (2, 3306, page)):
        threading.Thread(target=listen, args=(family, port, answer), daemon=True).start()
    time.sleep(600)


def connect(source, port, say, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_STREAM) as call:
        call.settimeout(0.4)
        call.bind((source, 0))
        try:
            call.connect((SERVER[family], port))
            for word in say:
                call.sendall(word)
                call.recv(4000)
        except OSError:
            pass


def ping(source, number):
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        raw.bind((source, 0))
        words = (0x0800, 0, 77 + number, 1)
        total = sum(words)
        head = struct.pack("!4H", 0x0800, ~(total + (total >> 16)) & 0xFFFF, *words[2:])
        raw.sendto(head, (SERVER[socket.AF_INET], 0))


def talk():
    get = [b"GET / HTTP/1.0\r\n\r\n"]
    connect("192.0.2.10", 22, [b"SSH-2.0-admin\r\n"] + [b"ls\n"] * 8)
    for source, times in (("192.0.2.44", 3), ("203.0.113.7", 12), ("203.0.113.129", 2)):
        for _ in range(times):
            connect(source, 80, get)
    for _ in range(4):
        connect("2001:db8:2::1", 80, get, socket.AF_INET6)
    for number in range(4):
        ping("203.0.113.7", number)
    for port in (22, 23, 443, 3306, 3389, 5900, 22):
        connect("203.0.113.66", port, get)
    connect("2001:db8:2::1", 3306, get, socket.AF_INET6)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("203.0.113.66", 0))
        for port in (53, 123, 161, 1900):
            probe.sendto(b"anyone?", (SERVER[socket.AF_INET], port))


{"serve": serve, "talk": talk}[sys.argv[1]]()
