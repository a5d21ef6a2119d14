package dev.sluice.engine.walk;

import java.util.Arrays;

/** List of numbers of packets, which grows. Not thread-safe. */
final class PacketList {
    private static final int LEAST = 16;
    private static final int[] NONE = {};

    int[] packets = NONE;
    int count;

    void add(int packet) {
        if (count == packets.length) {
            grow(count + 1);
        }
        packets[count++] = packet;
    }

    private void grow(int least) {
        packets = Arrays.copyOf(packets, Math.max(Math.max(LEAST, least), 2 * packets.length));
    }

    void addAll(PacketList other) {
        addAll(other.packets, 0, other.count);
    }

    void addAll(int[] from, int first, int number) {
        if (number > 0) {
            if (count + number > packets.length) {
                grow(count + number);
            }
            System.arraycopy(from, first, packets, count, number);
            count += number;
        }
    }

    void clear() {
        count = 0;
    }
}
