package dev.sluice.operators.connections;

/**
 * Loads of the slots of packets that come next, so that their cache misses do not wait for one
 * another. Not thread-safe.
 */
final class SlotLoads {
    /** Cache lines of a page that a look-up reads but seldom goes beyond. */
    private static final int LINES = 3;

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
        int[][] in = new int[count][]; // new: to store references in an old one is dear
        int[] at = new int[count];
        for (int i = 0; i < count; i++) { // without a branch that is guessed wrong
            long hash = packets[i].hash();
            ConnectionPage page = (packets[i].version() == 4 ? ipv4 : ipv6).page(hash);
            in[i] = page.words();
            at[i] = page.home(hash);
        }
        int sum = 0;
        for (int line = 0; line < LINES; line++) { // so short a loop has many misses under way
            for (int i = 0; i < count; i++) {
                int next = at[i] + line * LINE_WORDS;
                sum += in[i][next < in[i].length ? next : 0];
            }
        }
        loaded = sum;
    }
}
