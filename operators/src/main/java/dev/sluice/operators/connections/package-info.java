/**
 * Connection tracking: the state that a packet's connection gives it, as Linux's nf_conntrack tells
 * it. The package knows nothing of Flink.
 *
 * <p>{@link dev.sluice.operators.connections.ConnectionTracker} takes packets in order. {@code
 * state} tells a packet's state in the bits of Open vSwitch's {@code ct_state}, and {@code decided}
 * takes the verdict: a new connection is entered where its first packet was let through. Beside the
 * state stand three bits of the connection's status. All else that a packet changes stays, whatever
 * its verdict, as in the kernel, which tracks before it filters.
 *
 * <h2>Semantics</h2>
 *
 * The reference is Linux 6.18 with {@code nf_conntrack_tcp_be_liberal=1}, {@code
 * nf_conntrack_checksum=0} and no helpers (net/netfilter/nf_conntrack_core.c,
 * nf_conntrack_proto_*.c), or, with windows, {@code nf_conntrack_tcp_be_liberal=0}.
 *
 * <table>
 * <caption>State of a packet</caption>
 * <tr><th>packet</th><th>state</th></tr>
 * <tr><td>TCP</td><td>by {@link dev.sluice.operators.connections.TcpTransitions}; a combination of
 * flags that TCP does not have is invalid; a connection begins with a SYN or, with {@code loose},
 * with an ACK</td></tr>
 * <tr><td>SCTP</td><td>by {@link dev.sluice.operators.connections.SctpTransitions}, chunk by chunk,
 * where the verification tag fits; a connection begins with an INIT, a HEARTBEAT, its ACK or a
 * SHUTDOWN ACK, or with an INIT ACK, SHUTDOWN, ERROR or COOKIE ECHO whose tag is 0</td></tr>
 * <tr><td>UDP, UDP-Lite, GRE, other protocols</td><td>new until a packet of the other direction was
 * seen, then established; protocols other than TCP, UDP, UDP-Lite and SCTP are told apart by
 * addresses alone, and GRE of version 1 (PPTP) by the id of its call, too. Both directions of a call
 * have ids of their own, so that each is a connection, and always new; not so the id 0</td></tr>
 * <tr><td>ICMP and ICMPv6 queries</td><td>as UDP, by type, code and identifier: echo, timestamp,
 * information and address mask; echo and node information. A reply without its query, and a type
 * that is neither query, reply nor error, are invalid</td></tr>
 * <tr><td>ICMP and ICMPv6 errors</td><td>related where the embedded packet belongs to a connection
 * and the error goes to its sender, else invalid</td></tr>
 * <tr><td>ICMPv6 neighbour, listener and multicast router discovery</td><td>untracked</td></tr>
 * <tr><td>an error without its embedded packet, SCTP without its chunks, GRE of version 1 without its
 * call</td><td>unknown: what decides is not given</td></tr>
 * </table>
 *
 * <p>Without windows sequence numbers are not looked at. The tracker takes each segment as one in
 * sequence. The kernel differs in five cases: a RST before the last acknowledged byte is invalid
 * there; a RST behind it leaves an assured connection as it is; a SYN and ACK for another SYN than
 * the last one changes nothing; and two timeouts of 300 s begin at three retransmissions, at a
 * window of 0 and with data that nobody acknowledged ({@code max_retrans}, {@code unacknowledged}).
 *
 * <p>With windows ({@link dev.sluice.operators.connections.TrackerOptions#windows}) all of that is
 * as in the kernel. {@link dev.sluice.operators.connections.TcpWindows} and {@link
 * dev.sluice.operators.connections.WindowCheck} read the words of {@link
 * dev.sluice.schemas.header.TcpSegment}. From a segment that does not state them on, as one that
 * was cut or came in fragments, the state of its connection is unknown until the connection ends.
 *
 * <p>{@link dev.sluice.operators.connections.SctpPackets} reads the words of {@link
 * dev.sluice.schemas.header.SctpChunks}. Chunks before an invalid one change the connection, as in
 * the kernel. An INIT that is sent again in a closed connection, and a HEARTBEAT with another tag,
 * do not begin its timeout anew. From a packet on that does not state its chunks, the state is
 * unknown until no packet has come for the longest timeout of SCTP.
 *
 * <p>A later fragment has the state of its datagram: the caller keeps it.
 *
 * <p>Times are those of the packets, in nanoseconds. Time never goes back: an earlier packet is
 * handled at the time of the latest one before it. The kernel counts ticks of 1 to 10 ms.
 *
 * <h2>AWS</h2>
 *
 * {@link dev.sluice.operators.connections.TrackerOptions#AWS} models security groups, by Amazon's
 * documentation alone. A packet of a tracked connection is established in both directions. AWS
 * names few timeouts, so a connection has two ends: the one before which it is surely tracked, and
 * the one after which it is not. Between them its packets are unknown. The slot holds the later
 * end; the earlier one follows from its bits.
 *
 * <h2>Rules that change</h2>
 *
 * With {@code reevaluates} slots have two words more, the version of the rules that judged the
 * connection last. The next packet of who began it is judged by a later version as if it began it:
 * its state is new, and of TCP its flags are looked up as those of a SYN. If it is refused, the
 * connection ends.
 *
 * <h2>Settings</h2>
 *
 * {@link dev.sluice.operators.connections.TrackerOptions}: the model, pick-up of TCP connections
 * ({@code loose}), the largest number of connections, the seed of the hash; and each timeout, with
 * Linux's default, in {@link dev.sluice.operators.connections.ConnectionTimeout}.
 *
 * <h2>Memory</h2>
 *
 * <pre>
 *   hash, upper bits ─▶ directory ─▶ page: open addressing, 16 to 512 slots
 *                                    slot: 8 words (IPv4), 14 words (IPv6)
 * </pre>
 *
 * A connection is a slot of 32 bytes (IPv6: 56) under both of its directions. Pages grow by a
 * quarter from a load of three quarters on, and a full one of 512 slots splits, so that the table
 * grows by one page at a time. A load of 0.6 to 0.75 makes 43 to 53 bytes an IPv4 connection. With
 * windows a slot has 13 words more, which are 69 to 87 bytes a connection. SCTP has its tags where
 * other protocols have the time of the stream. An expired connection is taken as absent. It leaves
 * its page when the page grows; each 64th new connection looks at the next page, and rebuilds it if
 * an eighth of it has expired. Nothing ever sweeps the whole table.
 *
 * <p>{@code load} touches the slots of the packets that come next, 32 at a time, so that their
 * cache misses overlap.
 *
 * <p>At the largest number a new connection drops an expired or unassured one near its place, of
 * those the one that ends first, as the kernel's early drop does. Which one the kernel drops
 * depends on its own hash. If all that are near are assured, the new connection is not entered; the
 * kernel drops its packet. {@link dev.sluice.operators.connections.TrackerCounts} has both numbers.
 *
 * <h2>Rows</h2>
 *
 * A tracker that is made with {@link dev.sluice.operators.connections.ConnectionRows} hands each
 * connection's {@link dev.sluice.operators.connections.ConnectionRow} on once: first and last time,
 * packets and bytes each way, state and reason of its end. A slot has eight words more then, which
 * are 43 to 53 bytes a connection. A packet counts if its state is new or established. Connections
 * whose first packet was not let through are kept in tables of their own, with a slot of the same
 * size. A row comes when its connection is found to have ended, which may be later than the end.
 * {@code handRest} hands those on that are left. {@link dev.sluice.operators.connections.RowRounds}
 * looks at each page once an interval of packet time, for rows of connections that go on, and for
 * those that ended without a packet that would find it.
 *
 * <h2>Images</h2>
 *
 * {@link dev.sluice.operators.connections.PageImage} is a page as bytes. A snapshot takes the pages
 * that changed since the last one, and copies none: a page is copied when it is next written.
 * Images have slots in place, so that a restored tracker drops the same connections. With rows they
 * have the words of rows, and pages of refused connections. {@link
 * dev.sluice.operators.connections.SlotLayout} tells which words the slots have. A tracker takes
 * images of all layouts: connections of one without rows have rows of opening 0, without windows
 * unknown ones, without versions none.
 *
 * <h2>Policies</h2>
 *
 * <pre>
 * headers ─▶ look-up under a guessed state ─▶ packet by packet: tracker's state ─▶ answer
 *                                                   ▲                              │
 *                                                   └── let through or not ◀───────┘
 * </pre>
 *
 * <p>The state is a word of the header ({@link dev.sluice.schemas.header.Field#CONNECTION_STATE}),
 * which rules ask for. A batch is looked up under the state that each packet's header suggests, all
 * at once. {@link dev.sluice.operators.connections.StatefulJudge} then goes through it in order. At
 * a packet that is in another state, it and those behind it are looked up under the second or the
 * third guess: 64 packets, the next time twice as many, and so on, since new connections come
 * singly or in crowds. A packet in a state that was not guessed is looked up alone. A packet whose
 * state is unknown states none: it depends where rules that ask for states decide. {@link
 * dev.sluice.operators.connections.Connections} are those of a stream of packets: in {@code
 * classify} of all captures, in the job of a flow shard.
 *
 * <p>Where rules drop or exempt packets before connections are tracked, one look-up more asks for
 * each packet whether it comes to the tracker.
 *
 * <p>Thread rules: one thread has a tracker. Images are immutable and may be written by another.
 */
@NullMarked
package dev.sluice.operators.connections;

import org.jspecify.annotations.NullMarked;
