#!/usr/bin/env python3
"""Expected verdicts of office.ovs on office.pcapng.gz, from tshark's view of the packets.

Usage: expect.py > office.verdicts.tsv. Needs Debian's tshark. Shares no code with Sluice: fields come
from tshark, rules are tried one after the other.
"""
import ipaddress, os, re, subprocess

here = os.path.dirname(os.path.abspath(__file__))
FIELDS = ["frame.number", "eth.type", "ip.src", "ip.dst", "ip.proto", "ip.dsfield", "ip.flags.mf", "ip.frag_offset",
          "ipv6.src", "ipv6.dst", "ipv6.nxt", "ipv6.hopopts.nxt", "ipv6.fraghdr.nxt", "ipv6.fraghdr.offset", "tcp.srcport", "tcp.dstport",
          "tcp.flags", "udp.srcport", "udp.dstport", "icmp.type", "icmp.code", "icmpv6.type"]
command = ["tshark", "-n", "-r", os.path.join(here, "office.pcapng.gz"), "-o", "ip.defragment:false",
           "-o", "ipv6.defragment:false", "-o", "tcp.desegment_tcp_streams:false", "-T", "fields", "-E", "occurrence=f"]
for f in FIELDS:
    command += ["-e", f]
SHORT = {"tcp": (0x0800, 6), "udp": (0x0800, 17), "icmp": (0x0800, 1), "ip": (0x0800, None), "tcp6": (0x86dd, 6),
         "icmp6": (0x86dd, 58), "arp": (0x0806, None)}
FLAGS = {"fin": 1, "syn": 2, "rst": 4, "psh": 8, "ack": 16}


def number(text):
    return int(text, 0) if text else None


def masked(text, value):
    want, _, mask = text.partition("/")
    mask = int(mask, 0) if mask else -1
    return value is not None and value & mask == int(want, 0) & mask


def network(text, address):
    return bool(address) and ipaddress.ip_address(address) in ipaddress.ip_network(text, strict=False)


def packet(row):
    r = dict(zip(FIELDS, row))
    p = {"type": number(r["eth.type"]), "proto": None, "src": "", "dst": "", "tos": None, "later": False}
    if p["type"] == 0x0800:
        p.update(proto=number(r["ip.proto"]), src=r["ip.src"], dst=r["ip.dst"], tos=number(r["ip.dsfield"]),
                 later=(number(r["ip.frag_offset"]) or 0) > 0)
    elif p["type"] == 0x86dd:
        p.update(proto=number(r["ipv6.fraghdr.nxt"] or r["ipv6.hopopts.nxt"] or r["ipv6.nxt"]), src=r["ipv6.src"], dst=r["ipv6.dst"],
                 later=(number(r["ipv6.fraghdr.offset"]) or 0) > 0)
    tcp = p["proto"] == 6
    p["sport"], p["dport"] = (number(r["tcp.srcport"]), number(r["tcp.dstport"])) if tcp else (
        number(r["udp.srcport"]), number(r["udp.dstport"]))
    p["flags"] = number(r["tcp.flags"]) if tcp else None
    p["icmp"] = number(r["icmp.type"]) if p["proto"] == 1 else None
    if p["later"]:
        p["sport"] = p["dport"] = p["flags"] = p["icmp"] = None
    return p


def matches(rule, p):
    for key, value in rule:
        if key in SHORT:
            ether, proto = SHORT[key]
            ok = p["type"] == ether and (proto is None or p["proto"] == proto)
        elif key in ("nw_src", "ipv6_src"):
            ok = network(value, p["src"])
        elif key in ("nw_dst", "ipv6_dst"):
            ok = network(value, p["dst"])
        elif key == "tp_src":
            ok = masked(value, p["sport"])
        elif key == "tp_dst":
            ok = masked(value, p["dport"])
        elif key == "icmp_type":
            ok = masked(value, p["icmp"])
        elif key == "nw_tos":
            ok = p["tos"] is not None and p["tos"] & 0xfc == int(value, 0)
        elif key == "nw_frag":
            ok = value == "later" and p["later"]
        elif key == "tcp_flags" and value[0] in "+-":
            ok = p["flags"] is not None and all(
                bool(p["flags"] & FLAGS[name]) == (sign == "+") for sign, name in re.findall(r"([+-])(\w+)", value))
        elif key == "tcp_flags":
            ok = masked(value, p["flags"])
        else:
            raise SystemExit("unknown field " + key)
        if not ok:
            return False
    return True


rules = []
for line, text in enumerate(open(os.path.join(here, "office.ovs")), 1):
    text = text.split("#")[0].strip()
    if text:
        match, action = text.split(" actions=")
        fields = [tuple(f.partition("=")[::2]) for f in match.split(",")]
        priority = next(int(v) for k, v in fields if k == "priority")
        rules.append((-priority, line, [f for f in fields if f[0] != "priority"], action))
rules.sort()
print("packet\trule\tpriority\taction")
for row in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
    cells = row.split("\t")
    p = packet(cells)
    hit = next((r for r in rules if matches(r[2], p)), None)
    print("\t".join([cells[0]] + ([str(hit[1]), str(-hit[0]), hit[3]] if hit else ["", "", "drop"])))
