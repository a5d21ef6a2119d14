package dev.sluice.job.connections;

import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.policy.kernel.ConnectionKernel;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.header.TcpSegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A generated packet, by the bytes behind its IP header.
 *
 * @param source last byte of the address
 * @param destination last byte of the address
 * @param payload bytes behind the IP header
 * @param about words of what they are
 */
record SentPayload(
        boolean six,
        int source,
        int destination,
        int protocol,
        byte[] payload,
        String about,
        boolean passes)
        implements Sent {
    private static final int ETHERNET = 14;
    private static final int NET4 = 0x0a000000;
    private static final int NET6 = 0x20010db8;
    private static final PacketParser PARSER =
            new PacketParser(ParserOptions.DEFAULTS.reading(HeaderWord.bit(HeaderWord.FLOW_PORTS)));

    /** An ICMP or ICMPv6 error about the packet. */
    SentPayload error() {
        byte[] packet = frame();
        ByteBuffer to = ByteBuffer.allocate(8 + packet.length - ETHERNET);
        to.put((byte) (six ? 1 : 3)).position(8).put(packet, ETHERNET, packet.length - ETHERNET);
        return new SentPayload(
                six, destination, source, six ? 58 : 1, to.array(), "error about " + about, true);
    }

    @Override
    public @Nullable Sent embedded() {
        return null;
    }

    @Override
    public PacketTuple fill(PacketTuple tuple) {
        ParsedPacket packet = new ParsedPacket();
        PARSER.parseEthernet(frame(), packet);
        int[] words = packet.words();
        if (six) {
            int[] there = new int[4];
            System.arraycopy(words, HeaderWord.IPV6_DST, there, 0, 4);
            int[] here = new int[4];
            System.arraycopy(words, HeaderWord.IPV6_SRC, here, 0, 4);
            tuple.ipv6(here, there, protocol);
        } else {
            tuple.ipv4(words[HeaderWord.IPV4_SRC], words[HeaderWord.IPV4_DST], protocol);
        }
        boolean call = Field.FLOW_PRESENT.extract(words[HeaderWord.TCP_FLAGS]) != 0;
        int ports = words[call ? HeaderWord.FLOW_PORTS : HeaderWord.PORTS];
        tuple.ports(ports >>> 16, ports & 0xffff).segment(words, TcpSegment.isIn(words));
        return Field.MALFORMED.extract(words[HeaderWord.TCP_FLAGS]) != 0
                ? tuple.malformed()
                : tuple;
    }

    @Override
    public byte[] frame() {
        ByteBuffer to = ByteBuffer.allocate(ETHERNET + (six ? 40 : 20) + payload.length);
        to.putShort((short) (ConnectionKernel.MAC >>> 32)).putInt((int) ConnectionKernel.MAC);
        to.putShort((short) 0x0200).putInt(0x99);
        to.putShort((short) (six ? 0x86dd : 0x0800));
        int ttl = passes ? 64 : ConnectionKernel.DROPPED_TTL;
        if (six) {
            to.putInt(6 << 28 | ConnectionKernel.FORWARDED).putShort((short) payload.length);
            to.put((byte) protocol).put((byte) ttl);
            to.putInt(NET6).putLong(0).putInt(source);
            to.putInt(NET6).putLong(0).putInt(destination);
        } else {
            int start = to.position();
            to.putShort((short) 0x4500).putShort((short) (20 + payload.length));
            to.putShort((short) ConnectionKernel.FORWARDED).putShort((short) 0);
            to.put((byte) ttl).put((byte) protocol).putShort((short) 0);
            to.putInt(NET4 | source).putInt(NET4 | destination);
            to.putShort(start + 10, SentPacket.checksum(to, start));
        }
        return to.put(payload).array();
    }

    @Override
    public String toString() {
        return "%s%d>%d %s %s%s"
                .formatted(
                        six ? "six " : "",
                        source,
                        destination,
                        about,
                        HexFormat.of().formatHex(payload),
                        passes ? "" : " dropped");
    }
}
