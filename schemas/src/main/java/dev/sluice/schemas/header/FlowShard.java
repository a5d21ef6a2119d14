package dev.sluice.schemas.header;

/**
 * The flow shard of a header: a hash of addresses, ports and protocol that is the same for both
 * directions of a flow, scaled down to a fixed number of shards. For ICMP and ICMPv6, whose type
 * and code stand where ports do and differ between a request and its reply, the hash leaves them
 * out.
 *
 * <p>All packets of a fragmented datagram but the first lack ports, so they may fall into another
 * shard than the first. Frames that are not IP go by their MAC addresses and EtherType.
 */
public final class FlowShard {
    private FlowShard() {}

    /**
     * The shard of a header.
     *
     * @param header {@link HeaderWord#COUNT} words
     * @param shards number of shards, at least 1
     * @return 0 to shards - 1
     */
    public static int of(int[] header, int shards) {
        int source = 0;
        int destination = 0;
        int common = Field.IP_PROTO.extract(header[HeaderWord.IP]);
        switch (Field.IP_VERSION.extract(header[HeaderWord.IP])) {
            case Field.VERSION_4 -> {
                source = header[HeaderWord.IPV4_SRC];
                destination = header[HeaderWord.IPV4_DST];
            }
            case Field.VERSION_6 -> {
                for (int i = 0; i < 4; i++) {
                    source = mix(source ^ header[HeaderWord.IPV6_SRC + i]);
                    destination = mix(destination ^ header[HeaderWord.IPV6_DST + i]);
                }
            }
            default -> {
                source = Long.hashCode(FieldBits.mac(header, Field.ETH_SRC));
                destination = Long.hashCode(FieldBits.mac(header, Field.ETH_DST));
                common = Field.ETH_TYPE.extract(header[HeaderWord.ETHER]);
            }
        }
        boolean icmp = common == 1 || common == 58;
        int ports = icmp ? 0 : header[HeaderWord.PORTS];
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
