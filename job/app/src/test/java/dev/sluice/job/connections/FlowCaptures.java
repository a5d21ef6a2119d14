package dev.sluice.job.connections;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;

/**
 * Captures of generated connections: handshakes, resets, queries and errors, segments in and out of
 * their windows.
 */
public final class FlowCaptures {
    private FlowCaptures() {}

    private static final int SECOND = 1_700_000_000;

    /** Packets by which each flow shard has some. */
    private static final int LAST = 2000;

    /**
     * Writes captures, 10 s one behind the other, whose connections go on from each to the next.
     */
    public static List<Path> write(Path folder, long seed, int flows, int captures)
            throws IOException {
        Random random = new Random(seed);
        List<byte[]> frames = new ArrayList<>();
        Iterator<SentSegment> segments = WindowFlow.history(random, flows / 2).iterator();
        for (SentPacket packet : StatefulKernelTest.history(random, flows)) {
            frames.add(packet.frame());
            if (segments.hasNext()) {
                frames.add(segments.next().frame());
            }
        }
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < captures; i++) {
            List<byte[]> some =
                    frames.subList(
                            i * frames.size() / captures, (i + 1) * frames.size() / captures);
            files.add(
                    Files.write(
                            folder.resolve("sent" + i + ".pcap"),
                            RandomFlow.pcap(some, SECOND + 10 * i)));
        }
        return files;
    }

    /** Writes a capture of new connections in all flow shards, when all others have ended. */
    public static Path writeLater(Path folder) throws IOException {
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < LAST; i++) {
            frames.add(
                    new SentPacket(4, 1, 2, 17, 1024 + i % 100, i / 100, 0, 0, 0, null, true)
                            .frame());
        }
        int second = SECOND + 10 * 86_400;
        return Files.write(folder.resolve("later.pcap"), RandomFlow.pcap(frames, second));
    }

    /** Writes a capture of segments in and out of the windows of their connections. */
    public static Path windows(Path folder, long seed, int flows) throws IOException {
        List<byte[]> frames =
                WindowFlow.history(new Random(seed), flows).stream()
                        .map(SentSegment::frame)
                        .toList();
        return Files.write(folder.resolve("segments.pcap"), RandomFlow.pcap(frames));
    }

    /** A policy that passes some of them. */
    public static Path policy(Path folder) throws IOException {
        return Files.writeString(folder.resolve("host.save"), StatefulKernelTest.SAVE);
    }
}
