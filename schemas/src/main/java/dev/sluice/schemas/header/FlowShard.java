package dev.sluice.schemas.header;

/**
 * Choice of the flow shard of a header: a hash that is the same for both directions of a flow,
 * scaled down to a fixed number of shards.
 *
 * <p>An ICMP error has the shard of the flow that {@link Field#FLOW_DST_4} and the fields beside it
 * state, and a later fragment that of the ports in {@link Field#FLOW_PORTS}. A later fragment
 * without them has the shard of its addresses and protocol alone. Frames that are not IP go by
 * their MAC addresses and EtherType.
 */
public enum FlowShard {
    /**
     * By addresses, ports and protocol. For ICMP and ICMPv6, whose type and code stand where ports
     * do and differ between a request and its reply, the hash leaves them out.
     */
    FLOW,
    /**
     * By addresses alone: all flows between two hosts share a shard, and every fragment has that of
     * its datagram.
     */
    ADDRESSES;

    private static final int STATED = Field.FLOW_PRESENT.maskInWord();
    private static final int ERROR = Field.FLOW_DST_PRESENT.maskInWord();

    /**
     * The shard of a header.
     *
     * @param header {@link HeaderWord#COUNT} words
     * @param shards number of shards, at least 1
     * @return 0 to shards - 1
     */
    public int of(int[] header, int shards) {
        int ip = header[HeaderWord.IP];
        int version = Field.IP_VERSION.extract(ip);
        if (version == Field.VERSION_NONE) {
            int source = Long.hashCode(FieldBits.mac(header, Field.ETH_SRC));
            int destination = Long.hashCode(FieldBits.mac(header, Field.ETH_DST));
            int type = Field.ETH_TYPE.extract(header[HeaderWord.ETHER]);
            return this == FLOW
                    ? shard(source, destination, header[HeaderWord.PORTS], type, shards)
                    : shard(source, destination, 0, 0, shards);
        }
        int proto = Field.IP_PROTO.extract(ip);
        int ports = header[HeaderWord.PORTS];
        boolean six = version == Field.VERSION_6;
        int source = six ? HeaderWord.IPV6_SRC : HeaderWord.IPV4_SRC;
        int destination = six ? HeaderWord.IPV6_DST : HeaderWord.IPV4_DST;
        int flow = header[HeaderWord.TCP_FLAGS];
        if ((flow & STATED) != 0) {
            proto = Field.FLOW_PROTO.extract(flow);
            ports = header[HeaderWord.FLOW_PORTS];
            if ((flow & ERROR) != 0) {
                source = destination;
                destination = HeaderWord.FLOW_DST;
            }
        }
        boolean ported = this == FLOW && proto != 1 && proto != 58;
        return shard(
                six ? hash(header, source) : header[source],
                six ? hash(header, destination) : header[destination],
                ported ? ports : 0,
                this == FLOW ? proto : 0,
                shards);
    }

    private static int hash(int[] header, int address) {
        int hash = 0;
        for (int i = 0; i < 4; i++) {
            hash = mix(hash ^ header[address + i]);
        }
        return hash;
    }

    private static int shard(int source, int destination, int ports, int common, int shards) {
        int a = mix(source ^ mix(ports >>> 16));
        int b = mix(destination ^ mix(ports & 0xffff));
        int hash = mix(a + b + common);
        return (int) ((hash & 0xffffffffL) * shards >>> 32);
    }

    private static int mix(int x) {
        // Finalizer of MurmurHash3: every input bit reaches every output bit.
        int h = x + 0x9e3779b9;
        h = (h ^ h >>> 16) * 0x85ebca6b;
        h = (h ^ h >>> 13) * 0xc2b2ae35;
        return h ^ h >>> 16;
    }
}
