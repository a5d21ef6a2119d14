package dev.sluice.job.connections;

import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.header.TcpSegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A generated TCP segment.
 *
 * @param source last byte of the address
 * @param destination last byte of the address
 * @param from source port
 * @param to destination port
 * @param offset data offset in words
 * @param options bytes behind the fixed header, a multiple of four
 * @param data number of bytes
 */
record SentSegment(
        boolean six,
        int source,
        int destination,
        int from,
        int to,
        int flags,
        int sequence,
        int acknowledgement,
        int window,
        int offset,
        byte[] options,
        int data,
        boolean passes)
        implements Sent {
    private static final PacketParser PARSER =
            new PacketParser(ParserOptions.DEFAULTS.readingSegments(true));

    SentSegment again(boolean passing) {
        return new SentSegment(
                six,
                source,
                destination,
                from,
                to,
                flags,
                sequence,
                acknowledgement,
                window,
                offset,
                options,
                data,
                passing);
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
        Sent.addresses(tuple, six, source, destination, 6);
        int ports = words[HeaderWord.PORTS];
        return tuple.ports(ports >>> 16, ports & 0xffff)
                .tcpFlags(words[HeaderWord.TCP_FLAGS] & 0xff)
                .segment(words, TcpSegment.isIn(words));
    }

    @Override
    public byte[] frame() {
        int length = 20 + options.length + data;
        ByteBuffer to = ByteBuffer.allocate(14 + 40 + length);
        Sent.putEthernet(to, six);
        Sent.putIp(to, six, source, destination, 6, length, passes);
        to.putShort((short) from).putShort((short) this.to);
        to.putInt(sequence).putInt(acknowledgement);
        to.put((byte) (offset << 4)).put((byte) flags).putShort((short) window).putInt(0);
        to.put(options);
        byte[] bytes = new byte[to.position() + data];
        to.flip().get(bytes, 0, to.limit());
        return bytes;
    }

    @Override
    public String toString() {
        return "%d:%d>%d:%d flags %x seq %d ack %d win %d doff %d options %s data %d%s"
                .formatted(
                        source,
                        from,
                        destination,
                        to,
                        flags,
                        sequence,
                        acknowledgement,
                        window,
                        offset,
                        HexFormat.of().formatHex(options),
                        data,
                        passes ? "" : " dropped");
    }
}
