package dev.sluice.operators.connections;

/**
 * Loads of the slots of packets that come next, so that their cache misses do not wait for one
 * another. Not thread-safe.
 */
final class SlotLoads {
    /** Number of words of a cache line; a look-up seldom goes beyond three lines. */
    private static final int LINE_WORDS = 16;

    /** Keeps the loads. */
    @SuppressWarnings("UnusedVariable")
    private int loaded;

    /**
     * Loads what {@link ConnectionPage#find} looks at first.
     *
     * @param packets which were placed, and of which the first {@code count} are loaded
     */
    void load(PacketTuple[] packets, int count, ConnectionTable ipv4, ConnectionTable ipv6) {
        int sum = 0;
        for (int i = 0; i < count; i++) { // no branch is guessed wrong, nothing is kept
            long hash = packets[i].hash();
            ConnectionPage page = (packets[i].version() == 4 ? ipv4 : ipv6).page(hash);
            int[] in = page.words();
            int at = page.home(hash);
            int second = at + LINE_WORDS;
            int third = second + LINE_WORDS;
            sum += in[at] + in[second < in.length ? second : 0] + in[third < in.length ? third : 0];
        }
        loaded = sum;
    }
}
