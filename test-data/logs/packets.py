# Sends drawn packets to eth0 of a namespace: TCP, UDP, ICMP and its errors, SCTP, GRE, ESP, fragments; IPv4 and IPv6.
import socket, struct, random, sys
random.seed(int(sys.argv[1]) if len(sys.argv)>1 else 1)
def ck(b):
    if len(b)%2: b+=b'\0'
    s=sum(struct.unpack('!%dH'%(len(b)//2),b)); s=(s>>16)+(s&0xffff); s+=s>>16
    return ~s&0xffff
def ip4(src,dst,proto,payload,tos=0,id=1,frag=0,ttl=64):
    h=struct.pack('!BBHHHBBH4s4s',0x45,tos,20+len(payload),id,frag,ttl,proto,0,socket.inet_aton(src),socket.inet_aton(dst))
    return h[:10]+struct.pack('!H',ck(h))+h[12:]+payload
def ip6(src,dst,nxt,payload,ttl=64,tc=0):
    return struct.pack('!IHBB',6<<28|tc<<20,len(payload),nxt,ttl)+socket.inet_pton(socket.AF_INET6,src)+socket.inet_pton(socket.AF_INET6,dst)+payload
def pseudo(src,dst,proto,p):
    if ':' in src: return socket.inet_pton(socket.AF_INET6,src)+socket.inet_pton(socket.AF_INET6,dst)+struct.pack('!II',len(p),proto)
    return socket.inet_aton(src)+socket.inet_aton(dst)+struct.pack('!BBH',0,proto,len(p))
def tcp(s,d,sp,dp,fl):
    p=struct.pack('!HHIIBBHHH',sp,dp,1,0,0x50|(fl>>8),fl&255,1024,0,0)
    return p[:16]+struct.pack('!H',ck(pseudo(s,d,6,p)+p))+p[18:]
def udp(s,d,sp,dp,n=4):
    p=struct.pack('!HHHH',sp,dp,8+n,0)+b'x'*n
    return p[:6]+struct.pack('!H',ck(pseudo(s,d,17,p)+p) or 0xffff)+p[8:]
def icmp(t,c,rest=b'\0\1\0\1'+b'y'*8,src=None,dst=None):
    p=struct.pack('!BBH',t,c,0)+rest
    k=ck((pseudo(src,dst,58,p) if src else b'')+p)
    return p[:2]+struct.pack('!H',k)+p[4:]
out=socket.socket(socket.AF_PACKET,socket.SOCK_RAW); out.bind(('eth0x',0))
mac=bytes.fromhex('020000000001')
def send(p):
    t=0x86dd if p[0]>>4==6 else 0x800
    out.send(mac+bytes.fromhex('0200000000aa')+struct.pack('!H',t)+p)
def some4(dst):
    src=random.choice(['10.0.0.%d'%random.randint(2,250),'10.0.7.7','192.0.2.%d'%random.randint(1,250)])
    sp=random.choice([1024,53,40000]); dp=random.choice([22,80,443,53,123,8080,random.randint(1,65535)])
    k=random.choice(['t','t','t','u','u','i','e','s','f','l'])
    tos=random.choice([0,0,0x10,0xb8])
    if k=='t': p=ip4(src,dst,6,tcp(src,dst,sp,dp,random.choice([2,2,2,0x10,0x12,0x14,0x11,0x29,0xc2,0x102])),tos)
    if k=='u': p=ip4(src,dst,17,udp(src,dst,sp,dp),tos)
    if k=='i': p=ip4(src,dst,1,icmp(random.choice([8,0,13]),0))
    if k=='e': p=ip4(src,dst,1,icmp(3,random.choice([1,3,4]),struct.pack('!HH',0,1400)+ip4(dst,src,6,tcp(dst,src,dp,sp,2)[:8])))
    if k=='s': p=ip4(src,dst,random.choice([132,47,50]),struct.pack('!HHII',sp,dp,7,8)+b'z'*8)
    if k=='f': p=ip4(src,dst,17,udp(src,dst,sp,dp,16),id=random.randint(2,60000),frag=0x2000)
    if k=='l': p=ip4(src,dst,17,b'z'*16,id=random.randint(2,60000),frag=100)
    return p
def some6(dst):
    src=random.choice(['2001:db8::%x'%random.randint(2,250),'2001:db8:7::7'])
    sp=random.choice([1024,53,40000]); dp=random.choice([22,80,443,53,8080])
    k=random.choice('ttuie')
    if k=='t': return ip6(src,dst,6,tcp(src,dst,sp,dp,random.choice([2,2,0x10,0x12])))
    if k=='u': return ip6(src,dst,17,udp(src,dst,sp,dp),tc=0xb8)
    if k=='i': return ip6(src,dst,58,icmp(128,0,src=src,dst=dst))
    return ip6(src,dst,58,icmp(1,4,b'\0\0\0\0'+ip6(dst,src,17,udp(dst,src,5,6)),src=src,dst=dst))
import time
for i in range(int(sys.argv[2]) if len(sys.argv)>2 else 200):
    send(some4(random.choice(['10.0.0.1','10.1.0.9','10.1.0.9'])))
    if i%4==0: send(some6(random.choice(['2001:db8::1','2001:db8:1::9'])))
    if i%20==0: time.sleep(0.02)
