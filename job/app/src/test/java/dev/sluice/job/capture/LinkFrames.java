package dev.sluice.job.capture;

import dev.sluice.job.capture.TunnelFrames.Part;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;

/** Packets of each link type, and frames with tags, made from a seed. Not thread-safe. */
final class LinkFrames {
    /** Those that {@link #packet} makes. */
    static final List<Integer> LINK_TYPES =
            List.of(
                    0, 1, 9, 12, 50, 100, 101, 104, 105, 107, 108, 109, 117, 127, 192, 204, 226,
                    239, 258);

    private static final int MOST_BYTES = 512;

    private final Random random;
    private final TunnelFrames packets;
    private Part last = new Part(0, new byte[0]);

    LinkFrames(Random random) {
        this.random = random;
        this.packets = new TunnelFrames(random);
    }

    /** The packet of IP in what was made last. */
    byte[] last() {
        return last.bytes();
    }

    /** A packet of TCP or UDP in the link layer of a number. */
    byte[] packet(int linkType) {
        Part ip = packets.transport();
        last = ip;
        ByteBuffer out = ByteBuffer.allocate(MOST_BYTES);
        switch (linkType) {
            case 0 -> anyOrder(out).putInt(family(ip, 24, 28, 30)).put(ip.bytes());
            case 1 -> out.put(packets.ethernet(ip).bytes());
            case 9, 50 -> ppp(out, ip);
            case 12, 101 -> out.put(ip.bytes());
            case 100 -> snap(out, ip);
            case 104 -> hdlc(out, ip);
            case 105 -> wireless(out, ip, false);
            case 107 -> frameRelay(out, ip);
            case 108 -> out.putInt(family(ip, 24, 28, 30)).put(ip.bytes());
            case 109 -> enc(out, ip);
            case 117 -> pflog(out, ip);
            case 127 -> radiotap(out, ip);
            case 192 -> ppi(out, ip);
            case 204 -> ppp(out.put(coin()), ip);
            case 226 -> ipnet(out, ip);
            case 239 -> nflog(out, ip);
            case 258 -> pktap(out, ip);
            default -> throw new IllegalArgumentException("link type " + linkType);
        }
        return bytes(out);
    }

    private static byte[] bytes(ByteBuffer out) {
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    private byte coin() {
        return (byte) random.nextInt(2);
    }

    private ByteBuffer anyOrder(ByteBuffer out) {
        return out.order(random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    }

    private int family(Part ip, int... six) {
        return ip.type() == TunnelFrames.IPV4 ? 2 : six[random.nextInt(six.length)];
    }

    private void ppp(ByteBuffer out, Part ip) {
        int protocol = ip.type() == TunnelFrames.IPV4 ? 0x21 : 0x57;
        if (random.nextBoolean()) {
            out.putShort((short) 0xff03);
        }
        if (random.nextBoolean()) {
            out.put((byte) protocol);
        } else {
            out.putShort((short) protocol);
        }
        out.put(ip.bytes());
    }

    private void snap(ByteBuffer out, Part ip) {
        out.putInt(0xaaaa0300).putShort((short) 0).putShort((short) ip.type()).put(ip.bytes());
    }

    private void hdlc(ByteBuffer out, Part ip) {
        out.putShort((short) (random.nextBoolean() ? 0x0f00 : 0x8f00));
        out.putShort((short) ip.type()).put(ip.bytes());
    }

    private void frameRelay(ByteBuffer out, Part ip) {
        out.putShort((short) 0x1841); // data link 100
        switch (random.nextInt(3)) {
            case 0 -> out.put((byte) 3).put((byte) (ip.type() == TunnelFrames.IPV4 ? 0xcc : 0x8e));
            case 1 ->
                    out.putShort((short) 0x0300)
                            .put((byte) 0x80)
                            .put(new byte[3])
                            .putShort((short) ip.type());
            default -> out.putShort((short) ip.type());
        }
        out.put(ip.bytes());
    }

    private void mac(ByteBuffer out) {
        out.put((byte) 2).putInt(random.nextInt()).put((byte) random.nextInt());
    }

    private void wireless(ByteBuffer out, Part ip, boolean padded) {
        int start = out.position();
        boolean qos = random.nextBoolean();
        int direction = random.nextInt(4);
        out.put((byte) (qos ? 0x88 : 0x08)).put((byte) direction).putShort((short) 0);
        for (int i = 0; i < 3; i++) {
            mac(out);
        }
        out.putShort((short) 0);
        if (direction == 3) {
            mac(out);
        }
        if (qos) {
            out.putShort((short) 0);
        }
        while (padded && (out.position() - start) % 4 != 0) {
            out.put((byte) 0);
        }
        snap(out, ip);
    }

    private void radiotap(ByteBuffer out, Part ip) {
        boolean time = random.nextBoolean();
        boolean more = random.nextBoolean();
        boolean padded = random.nextBoolean();
        int words = more ? 2 : 1;
        int flagsAt = 4 + 4 * words;
        if (time) {
            flagsAt = (flagsAt + 7 & ~7) + 8;
        }
        int start = out.position();
        out.order(ByteOrder.LITTLE_ENDIAN).putShort((short) 0).putShort((short) (flagsAt + 1));
        out.putInt((more ? 1 << 31 : 0) | (time ? 1 : 0) | 2);
        if (more) {
            out.putInt(0);
        }
        out.position(start + flagsAt);
        out.put((byte) (padded ? 0x20 : 0)).order(ByteOrder.BIG_ENDIAN);
        wireless(out, ip, padded);
    }

    private void pflog(ByteBuffer out, Part ip) {
        int length = 61 + random.nextInt(4);
        out.put((byte) length).put((byte) family(ip, 24, 28, 30));
        out.position(length + 3 & ~3);
        out.put(ip.bytes());
    }

    private void enc(ByteBuffer out, Part ip) {
        out.order(ByteOrder.LITTLE_ENDIAN).putInt(family(ip, 24)).putLong(7).put(ip.bytes());
    }

    private void ipnet(ByteBuffer out, Part ip) {
        out.put((byte) 1).put((byte) family(ip, 26)).putShort((short) 0);
        out.putInt(ip.bytes().length).putLong(0).putLong(0).put(ip.bytes());
    }

    private void ppi(ByteBuffer out, Part ip) {
        boolean wireless = random.nextBoolean();
        out.order(ByteOrder.LITTLE_ENDIAN).putShort((short) 0).putShort((short) 8);
        out.putInt(wireless ? 105 : 1).order(ByteOrder.BIG_ENDIAN);
        if (wireless) {
            wireless(out, ip, false);
        } else {
            out.put(packets.ethernet(ip).bytes());
        }
    }

    private void nflog(ByteBuffer out, Part ip) {
        out.put((byte) (ip.type() == TunnelFrames.IPV4 ? 2 : 10)).put((byte) 0).putShort((short) 7);
        out.putShort((short) 8).putShort((short) 1); // tshark takes the file's byte order
        out.putShort((short) ip.type()).putShort((short) 3);
        for (int i = random.nextInt(3); i > 0; i--) {
            byte[] text = new byte[1 + random.nextInt(9)];
            out.putShort((short) (4 + text.length)).putShort((short) 10).put(text);
            out.position(out.position() + 3 & ~3);
        }
        out.putShort((short) (4 + ip.bytes().length)).putShort((short) 9).put(ip.bytes());
    }

    private void pktap(ByteBuffer out, Part ip) {
        boolean raw = random.nextBoolean();
        out.order(ByteOrder.LITTLE_ENDIAN).putInt(108).putInt(1).putInt(raw ? 12 : 1);
        out.position(108);
        out.put(raw ? ip.bytes() : packets.ethernet(ip).bytes());
    }

    /** An Ethernet frame with a few tags, of these kinds alone. */
    byte[] tagged(LinkTag... kinds) {
        Part ip = packets.transport();
        last = ip;
        ByteBuffer out = ByteBuffer.allocate(MOST_BYTES);
        mac(out);
        mac(out);
        for (int i = random.nextInt(4); i > 0; i--) {
            tag(out, kinds[random.nextInt(kinds.length)]);
        }
        return bytes(out.putShort((short) ip.type()).put(ip.bytes()));
    }

    private void tag(ByteBuffer out, LinkTag kind) {
        out.putShort((short) kind.type);
        switch (kind) {
            case QINQ_9100 -> out.putShort((short) (1 + random.nextInt(4000)));
            case E_TAG -> out.putShort((short) 0).putInt(1 + random.nextInt(4000) << 16);
            case CISCO_METADATA -> out.putInt(0x01010001).putShort((short) random.nextInt());
            case MACSEC -> {
                boolean sci = random.nextBoolean();
                out.put((byte) (sci ? 0x20 : 0)).put((byte) 0).putInt(random.nextInt());
                if (sci) {
                    out.putLong(random.nextLong());
                }
            }
            case EDSA -> out.putShort((short) 0).putInt(0xc0080000);
            case VN_TAG -> out.putInt(0x00010002);
            case HSR, R_TAG -> out.putShort((short) 0x0040).putShort((short) random.nextInt());
        }
    }
}
