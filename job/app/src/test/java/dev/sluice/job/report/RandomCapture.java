package dev.sluice.job.report;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Captures of random packets. */
final class RandomCapture {
    private RandomCapture() {}

    /** A port that rules of tests name, or one beside them. */
    static int port(Random random) {
        return 80 + random.nextInt(3);
    }

    /** A capture of TCP, UDP, echoes, ARP and a frame that is cut short, between few ends. */
    static Path write(Random random, Path file) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4);
        out.putInt(0).putInt(0).putInt(65535).putInt(1);
        for (int i = 0; i < 300; i++) {
            int protocol = new int[] {6, 6, 6, 17, 1, 0}[random.nextInt(6)];
            int cut = random.nextInt(30) == 0 ? 20 : 54;
            out.putInt(1_700_000_000 + i / 10).putInt(random.nextInt(1_000_000));
            out.putInt(cut).putInt(54 + random.nextInt(900));
            ByteBuffer frame = ByteBuffer.allocate(54);
            frame.position(12).putShort((short) (protocol == 0 ? 0x0806 : 0x0800));
            frame.putShort((short) 0x4500).putShort((short) 40).putInt(0);
            frame.put((byte) 64).put((byte) protocol).putShort((short) 0);
            frame.putInt(0x0a000000 | random.nextInt(4)).putInt(0x0a000000 | random.nextInt(4));
            if (protocol == 1) {
                frame.put((byte) (random.nextBoolean() ? 8 : 0)).put((byte) 0).putShort((short) 0);
                frame.putInt(7 << 16);
            } else {
                frame.putShort((short) port(random)).putShort((short) port(random));
                frame.putLong(protocol == 17 ? 20L << 48 : 0);
                frame.putShort((short) (0x5000 | (random.nextBoolean() ? 0x02 : 0x10)));
            }
            out.put(frame.array(), 0, cut);
        }
        byte[] bytes = new byte[out.position()];
        out.get(0, bytes);
        return Files.write(file, bytes);
    }
}
