package dev.sluice.job.capture;

import java.nio.ByteBuffer;
import java.util.Random;

/** Frames with packets in tunnels in each other, made from a seed. Not thread-safe. */
final class TunnelFrames {
    static final int IPV4 = 0x0800;
    static final int IPV6 = 0x86dd;
    static final int ETHERNET = 0x6558;
    static final int MPLS = 0x8847;
    static final int PPPOE = 0x8864;

    private final Random random;

    TunnelFrames(Random random) {
        this.random = random;
    }

    /**
     * A part of a frame.
     *
     * @param type its EtherType; {@link #ETHERNET} for a frame
     */
    record Part(int type, byte[] bytes) {}

    /** A frame with up to so many tunnels around its packet. */
    byte[] frame(int tunnels) {
        Part part = transport();
        for (int i = random.nextInt(tunnels + 1); i > 0; i--) {
            part = wrap(part);
        }
        return part.type == ETHERNET ? part.bytes : ethernet(part).bytes;
    }

    /** A packet of TCP or UDP over IPv4 or IPv6. */
    Part transport() {
        boolean tcp = random.nextBoolean();
        ByteBuffer segment = ByteBuffer.allocate(tcp ? 20 : 16);
        segment.putShort(0, (short) (30_000 + random.nextInt(1_000)));
        segment.putShort(2, (short) (31_000 + random.nextInt(1_000)));
        if (tcp) {
            segment.put(12, (byte) 0x50).put(13, (byte) random.nextInt(64));
        } else {
            segment.putShort(4, (short) 16);
        }
        return ip(tcp ? 6 : 17, segment.array());
    }

    private Part wrap(Part part) {
        if (part.type == ETHERNET) {
            return switch (random.nextInt(3)) {
                case 0 -> vxlan(part, random.nextInt(1 << 24));
                case 1 -> geneve(part);
                default -> gre(part);
            };
        }
        if (part.type == PPPOE) {
            return ethernet(part);
        }
        if (part.type == MPLS) {
            return random.nextBoolean() ? ethernet(part) : gre(part);
        }
        return switch (random.nextInt(7)) {
            case 0 -> ip(part.type == IPV4 ? 4 : 41, part.bytes);
            case 1 -> gre(part);
            case 2 -> gtp(part);
            case 3 -> geneve(part);
            case 4 -> mpls(part, 1 + random.nextInt(3));
            case 5 -> pppoe(part);
            default -> ethernet(part);
        };
    }

    /** A frame with a packet in one or two of the tunnels that {@link #frame} does not make. */
    byte[] rareFrame() {
        Part part = transport();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            part = rare(part);
        }
        return ethernet(part).bytes;
    }

    /** A tunnel around a packet of IP. */
    private Part rare(Part ip) {
        boolean six = ip.type == IPV6;
        byte[] frame = ethernet(ip).bytes;
        ByteBuffer out = ByteBuffer.allocate(64 + frame.length);
        int port =
                switch (random.nextInt(10)) {
                    case 0 -> {
                        out.putInt(0x0c000000 | (six ? 2 : 1)).putInt(7 << 8).put(ip.bytes);
                        yield 4790;
                    }
                    case 1 -> {
                        out.putInt(0x0c000003).putInt(7 << 8).put(frame);
                        yield 4790;
                    }
                    case 2 -> {
                        out.putInt(ip.type).put(ip.bytes); // no flags
                        yield 4754;
                    }
                    case 3 -> {
                        out.put(mpls(ip, 1 + random.nextInt(3)).bytes);
                        yield 6635;
                    }
                    case 4 -> {
                        l2tp(out, ip);
                        yield 1701;
                    }
                    case 5 -> {
                        out.putInt(0x01000001).put((byte) 0).put((byte) 10).put((byte) 1);
                        out.put((byte) 7).put((byte) 1).put(frame);
                        yield 37008;
                    }
                    case 6 -> {
                        out.put((byte) 0x1e).put((byte) 0xff).putShort((short) ip.bytes.length);
                        out.putLong(random.nextLong()).putLong(random.nextLong()).put(ip.bytes);
                        yield 3386;
                    }
                    case 7 -> {
                        out.putShort((short) 0x3000).put(frame);
                        yield 0;
                    }
                    case 8 -> {
                        if (!six) {
                            out.putInt(0x00100000).putInt(0).put(frame); // CAPWAP
                            yield 5247;
                        }
                        if (random.nextBoolean()) {
                            out.putInt(0x00001234).putInt(random.nextInt()); // the origin
                        }
                        out.put(ip.bytes);
                        yield 3544;
                    }
                    default -> {
                        out.putInt(0x00100000).putInt(0).put(frame);
                        yield 5247;
                    }
                };
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return port == 0 ? ip(97, bytes) : udp(port, bytes);
    }

    private void l2tp(ByteBuffer out, Part ip) {
        boolean length = random.nextBoolean();
        boolean sequence = random.nextBoolean();
        int flags = (length ? 0x4000 : 0) | (sequence ? 0x0800 : 0) | 2;
        out.putShort((short) flags);
        if (length) {
            int rest = 12 + (sequence ? 4 : 0) + ip.bytes.length;
            out.putShort((short) rest);
        }
        out.putInt(0x00010002);
        if (sequence) {
            out.putInt(0);
        }
        out.putInt(0xff030000 | (ip.type == IPV4 ? 0x21 : 0x57)).put(ip.bytes);
    }

    Part ethernet(Part part) {
        int tags = random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0;
        ByteBuffer out = ByteBuffer.allocate(14 + 4 * tags + part.bytes.length);
        for (int i = 0; i < 2; i++) {
            out.put((byte) 2).putInt(random.nextInt()).put((byte) random.nextInt());
        }
        for (int i = 0; i < tags; i++) {
            out.putShort((short) 0x8100).putShort((short) (1 + random.nextInt(4000)));
        }
        return new Part(ETHERNET, out.putShort((short) part.type).put(part.bytes).array());
    }

    Part ip(int protocol, byte[] payload) {
        if (random.nextBoolean()) {
            ByteBuffer out = ByteBuffer.allocate(20 + payload.length);
            out.putShort((short) 0x4500).putShort((short) out.capacity()).putInt(0);
            out.put((byte) 64).put((byte) protocol).putShort((short) 0);
            out.putInt(10 << 24 | random.nextInt(1 << 24));
            out.putInt(10 << 24 | random.nextInt(1 << 24));
            return new Part(IPV4, out.put(payload).array());
        }
        boolean options = random.nextInt(4) == 0;
        ByteBuffer out = ByteBuffer.allocate(40 + (options ? 8 : 0) + payload.length);
        out.putInt(0x60000000).putShort((short) (out.capacity() - 40));
        out.put((byte) (options ? 60 : protocol)).put((byte) 64);
        for (int i = 0; i < 2; i++) {
            out.putInt(0x20010db8).putInt(0).putInt(random.nextInt()).putInt(random.nextInt());
        }
        if (options) {
            out.put((byte) protocol).put((byte) 0).putShort((short) 0x0104).putInt(0);
        }
        return new Part(IPV6, out.put(payload).array());
    }

    Part udp(int port, byte[] payload) {
        ByteBuffer out = ByteBuffer.allocate(8 + payload.length);
        out.putShort((short) (32_100 + random.nextInt(900))).putShort((short) port);
        out.putShort((short) out.capacity()).putShort((short) 0).put(payload);
        return ip(17, out.array());
    }

    Part vxlan(Part frame, int vni) {
        ByteBuffer out = ByteBuffer.allocate(8 + frame.bytes.length);
        return udp(4789, out.putInt(0x08000000).putInt(vni << 8).put(frame.bytes).array());
    }

    Part geneve(Part part) {
        int options = random.nextInt(3);
        ByteBuffer out = ByteBuffer.allocate(8 + 4 * options + part.bytes.length);
        out.put((byte) options).put((byte) 0).putShort((short) part.type);
        out.putInt(random.nextInt(1 << 24) << 8);
        if (options > 0) {
            out.putShort((short) 0x7fff).put((byte) 1).put((byte) (options - 1));
            out.position(8 + 4 * options);
        }
        return udp(6081, out.put(part.bytes).array());
    }

    Part gre(Part part) {
        boolean checksum = random.nextInt(4) == 0;
        boolean key = random.nextBoolean();
        boolean sequence = random.nextInt(4) == 0;
        int flags = (checksum ? 0x8000 : 0) | (key ? 0x2000 : 0) | (sequence ? 0x1000 : 0);
        ByteBuffer out = ByteBuffer.allocate(16 + part.bytes.length);
        out.putShort((short) flags).putShort((short) part.type);
        if (checksum) {
            out.putInt(0);
        }
        if (key) {
            out.putInt(random.nextInt());
        }
        if (sequence) {
            out.putInt(random.nextInt());
        }
        byte[] bytes = new byte[out.position() + part.bytes.length];
        out.put(part.bytes).flip().get(bytes);
        return ip(47, bytes);
    }

    Part gtp(Part packet) {
        boolean sequence = random.nextBoolean();
        boolean extension = random.nextBoolean();
        int more = (sequence || extension ? 4 : 0) + (extension ? 4 : 0);
        ByteBuffer out = ByteBuffer.allocate(8 + more + packet.bytes.length);
        out.put((byte) (0x30 | (extension ? 4 : 0) | (sequence ? 2 : 0))).put((byte) 0xff);
        out.putShort((short) (out.capacity() - 8)).putInt(random.nextInt());
        if (more > 0) {
            out.putShort((short) 7).put((byte) 0).put((byte) (extension ? 0x85 : 0));
        }
        if (extension) {
            out.put((byte) 1).put((byte) 0).put((byte) 9).put((byte) 0);
        }
        return udp(2152, out.put(packet.bytes).array());
    }

    Part mpls(Part packet, int labels) {
        ByteBuffer out = ByteBuffer.allocate(4 * labels + packet.bytes.length);
        for (int i = 1; i <= labels; i++) {
            out.putInt((16 + random.nextInt(100_000)) << 12 | (i == labels ? 0x100 : 0) | 64);
        }
        return new Part(MPLS, out.put(packet.bytes).array());
    }

    Part pppoe(Part packet) {
        ByteBuffer out = ByteBuffer.allocate(8 + packet.bytes.length);
        out.putShort((short) 0x1100).putShort((short) random.nextInt());
        out.putShort((short) (2 + packet.bytes.length));
        out.putShort((short) (packet.type == IPV4 ? 0x21 : 0x57));
        return new Part(PPPOE, out.put(packet.bytes).array());
    }
}
