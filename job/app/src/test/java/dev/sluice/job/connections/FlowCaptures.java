package dev.sluice.job.connections;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Captures of generated connections: handshakes, resets, queries and errors. */
public final class FlowCaptures {
    private FlowCaptures() {}

    /** Writes captures, one behind the other, whose connections go on from each to the next. */
    public static List<Path> write(Path folder, long seed, int flows, int captures)
            throws IOException {
        List<byte[]> frames =
                StatefulKernelTest.history(new Random(seed), flows).stream()
                        .map(SentPacket::frame)
                        .toList();
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < captures; i++) {
            List<byte[]> some =
                    frames.subList(
                            i * frames.size() / captures, (i + 1) * frames.size() / captures);
            files.add(Files.write(folder.resolve("sent" + i + ".pcap"), RandomFlow.pcap(some)));
        }
        return files;
    }

    /** A policy that passes some of them. */
    public static Path policy(Path folder) throws IOException {
        return Files.writeString(folder.resolve("host.save"), StatefulKernelTest.SAVE);
    }
}
