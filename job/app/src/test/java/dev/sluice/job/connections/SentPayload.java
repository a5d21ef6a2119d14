package dev.sluice.job.connections;

import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.operators.connections.PacketTuple;
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
        Sent.addresses(tuple, six, source, destination, protocol);
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
        Sent.putEthernet(to, six);
        Sent.putIp(to, six, source, destination, protocol, payload.length, passes);
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
