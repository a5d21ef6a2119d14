// The process that owns a network namespace of tests: it makes the devices, sends packets and reads what the
// kernel tells of each. dev.sluice.policy.kernel.KernelNamespace compiles it, starts it by `unshare --net`,
// and talks to it by its standard input and output, in the machine's byte order.
//
// Arguments: "nft" to hear nftables' traces, else "legacy"; the names of the devices, which are made as TAP devices.
// A request: u32 number of packets, then for each u32 way, u32 mark, u32 length, its bytes.
//   way: device | 0 (a frame that arrives at the device),
//        device | 256, 512 (an IPv4, IPv6 packet of this host that leaves by the device; mark is its mark).
// Its answer: for each packet i32 errno of sending it, u32 length, the netlink messages that it caused.
// The kernel handles a packet while it is written, so that these messages are there afterwards.
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int TRACE_GROUP = 0;   // where nf_log writes the TRACE lines of legacy tables
constexpr int PASSED_GROUP = 7;  // where the namespace's own last chains log

int must(int result, const char* what) {
  if (result < 0) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
  }
  return result;
}

int tap(const char* name) {
  int file = must(open("/dev/net/tun", O_RDWR), "/dev/net/tun cannot be opened");
  ifreq request{};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  must(ioctl(file, TUNSETIFF, &request), name);
  must(fcntl(file, F_SETFL, O_NONBLOCK), name);
  return file;
}

int sender(int family, const char* device) {
  int file = must(socket(family, SOCK_RAW, IPPROTO_RAW), "a raw socket cannot be opened");
  must(setsockopt(file, SOL_SOCKET, SO_BINDTODEVICE, device, strlen(device)), device);
  int room = 8 << 20;
  must(setsockopt(file, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room), "SO_SNDBUFFORCE");
  return file;
}

// Sends a configuration message of nfnetlink_log with one attribute, and waits for the kernel's word.
void configure(int netlink, uint8_t family, uint16_t group, uint16_t type, const void* value, uint16_t length) {
  struct {
    nlmsghdr header;
    nfgenmsg generic;
    nlattr attribute;
    uint8_t value[8];
  } message{};
  message.header = {sizeof message, NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, NLM_F_REQUEST | NLM_F_ACK, 0, 0};
  message.generic = {family, NFNETLINK_V0, htons(group)};
  message.attribute = {uint16_t(NLA_HDRLEN + length), type};
  memcpy(message.value, value, length);
  message.header.nlmsg_len = sizeof(nlmsghdr) + sizeof(nfgenmsg) + NLA_ALIGN(NLA_HDRLEN + length);
  must(send(netlink, &message, message.header.nlmsg_len, 0), "nfnetlink_log");
  struct {
    nlmsghdr header;
    nlmsgerr error;
    uint8_t rest[256];
  } answer{};
  must(recv(netlink, &answer, sizeof answer, 0), "nfnetlink_log");
  errno = -answer.error.error;
  must(answer.error.error, "nfnetlink_log refuses");
}

int listener(bool nft) {
  int netlink = must(socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER), "netlink");
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  must(bind(netlink, (sockaddr*)&own, sizeof own), "netlink");
  int room = 16 << 20;
  must(setsockopt(netlink, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room), "SO_RCVBUFFORCE");
  for (int family : {AF_INET, AF_INET6}) {
    nfulnl_msg_config_cmd command{NFULNL_CFG_CMD_PF_BIND};
    configure(netlink, family, 0, NFULA_CFG_CMD, &command, sizeof command);
  }
  for (int group : {TRACE_GROUP, PASSED_GROUP}) {
    nfulnl_msg_config_cmd command{NFULNL_CFG_CMD_BIND};
    configure(netlink, AF_UNSPEC, group, NFULA_CFG_CMD, &command, sizeof command);
    nfulnl_msg_config_mode mode{0, NFULNL_COPY_NONE, 0};
    configure(netlink, AF_UNSPEC, group, NFULA_CFG_MODE, &mode, sizeof mode);
    uint32_t each = htonl(1);
    configure(netlink, AF_UNSPEC, group, NFULA_CFG_QTHRESH, &each, sizeof each);
  }
  int traces = NFNLGRP_NFTRACE;
  if (nft) must(setsockopt(netlink, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &traces, sizeof traces), "NFNLGRP_NFTRACE");
  return netlink;
}

int leave(int file, int family, const uint8_t* packet, size_t length, uint32_t mark) {
  sockaddr_in to4{};
  to4.sin_family = AF_INET;
  sockaddr_in6 to6{};
  to6.sin6_family = AF_INET6;
  msghdr message{};
  if (family == AF_INET) {
    memcpy(&to4.sin_addr, packet + 16, 4);
    message.msg_name = &to4;
    message.msg_namelen = sizeof to4;
  } else {
    memcpy(&to6.sin6_addr, packet + 24, 16);
    message.msg_name = &to6;
    message.msg_namelen = sizeof to6;
  }
  iovec bytes{(void*)packet, length};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  must(setsockopt(file, SOL_SOCKET, SO_MARK, &mark, sizeof mark), "SO_MARK");
  return sendmsg(file, &message, MSG_DONTWAIT) < 0 ? errno : 0;
}

bool take(void* to, size_t length) { return fread(to, 1, length, stdin) == length; }

void give(const void* from, size_t length) { fwrite(from, 1, length, stdout); }

struct Packet {
  uint32_t way, mark, length;
  std::vector<uint8_t> bytes;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  std::vector<const char*> names(arguments + 2, arguments + count);
  std::vector<int> taps, senders4, senders6;
  for (const char* name : names) taps.push_back(tap(name));
  for (const char* name : names) {
    senders4.push_back(sender(AF_INET, name));
    senders6.push_back(sender(AF_INET6, name));
  }
  int netlink = listener(std::string(arguments[1]) == "nft");
  puts("ready");
  fflush(stdout);
  std::vector<uint8_t> read(1 << 16), told;
  uint32_t number;
  while (take(&number, 4)) {
    std::vector<Packet> packets(number);
    for (Packet& packet : packets) {
      if (!take(&packet.way, 12)) return 1;
      packet.bytes.resize(packet.length);
      if (!take(packet.bytes.data(), packet.length)) return 1;
    }
    for (Packet& packet : packets) {
      int device = packet.way & 255;
      int error = 0;
      if (packet.way < 256) {
        while (::read(taps.at(device), read.data(), read.size()) > 0) {}  // what the host answered
        error = write(taps[device], packet.bytes.data(), packet.length) < 0 ? errno : 0;
      } else if (packet.way < 512) {
        error = leave(senders4.at(device), AF_INET, packet.bytes.data(), packet.length, packet.mark);
      } else {
        error = leave(senders6.at(device), AF_INET6, packet.bytes.data(), packet.length, packet.mark);
      }
      told.clear();
      ssize_t length;
      while ((length = recv(netlink, read.data(), read.size(), MSG_DONTWAIT)) > 0) {
        told.insert(told.end(), read.data(), read.data() + length);
        told.resize(NLMSG_ALIGN(told.size()));
      }
      if (errno != EAGAIN) must(-1, "netlink");  // ENOBUFS: messages were lost
      uint32_t size = told.size();
      give(&error, 4);
      give(&size, 4);
      give(told.data(), size);
    }
    fflush(stdout);
  }
}
