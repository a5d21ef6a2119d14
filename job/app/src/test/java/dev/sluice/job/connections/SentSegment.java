package dev.sluice.job.connections;

import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.policy.kernel.ConnectionKernel;
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
    private static final int NET4 = 0x0a000000;
    private static final int NET6 = 0x20010db8;
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
        if (six) {
            int[] there = new int[4];
            System.arraycopy(words, HeaderWord.IPV6_DST, there, 0, 4);
            int[] here = new int[4];
            System.arraycopy(words, HeaderWord.IPV6_SRC, here, 0, 4);
            tuple.ipv6(here, there, 6);
        } else {
            tuple.ipv4(words[HeaderWord.IPV4_SRC], words[HeaderWord.IPV4_DST], 6);
        }
        int ports = words[HeaderWord.PORTS];
        return tuple.ports(ports >>> 16, ports & 0xffff)
                .tcpFlags(words[HeaderWord.TCP_FLAGS] & 0xff)
                .segment(words, TcpSegment.isIn(words));
    }

    @Override
    public byte[] frame() {
        int length = 20 + options.length + data;
        ByteBuffer to = ByteBuffer.allocate(14 + 40 + length);
        to.putShort((short) (ConnectionKernel.MAC >>> 32)).putInt((int) ConnectionKernel.MAC);
        to.putShort((short) 0x0200).putInt(0x99);
        to.putShort((short) (six ? 0x86dd : 0x0800));
        int ttl = passes ? 64 : ConnectionKernel.DROPPED_TTL;
        if (six) {
            to.putInt(6 << 28 | ConnectionKernel.FORWARDED).putShort((short) length);
            to.put((byte) 6).put((byte) ttl);
            to.putInt(NET6).putLong(0).putInt(source);
            to.putInt(NET6).putLong(0).putInt(destination);
        } else {
            int start = to.position();
            to.putShort((short) 0x4500).putShort((short) (20 + length));
            to.putShort((short) ConnectionKernel.FORWARDED).putShort((short) 0);
            to.put((byte) ttl).put((byte) 6).putShort((short) 0);
            to.putInt(NET4 | source).putInt(NET4 | destination);
            to.putShort(start + 10, SentPacket.checksum(to, start));
        }
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
