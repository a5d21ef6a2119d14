package dev.sluice.job.connections;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Supplier;

/** Random GRE packets between two ends: calls of version 1 by their id, others, and short ones. */
final class GreFlow implements Supplier<SentPayload> {
    private static final int GRE = 47;
    private static final int PPP = 0x880b;
    private static final int[] CALLS = {0, 0, 1, 7, 0x8000};

    private final Random random;
    private final boolean six;
    private final int one;
    private final int two;

    GreFlow(Random random, int number) {
        this.random = random;
        six = random.nextInt(4) == 0;
        one = 1 + Math.floorMod(number, 120);
        two = 121 + Math.floorDiv(number, 120);
    }

    @Override
    public SentPayload get() {
        boolean answers = random.nextInt(3) == 0;
        boolean call = random.nextInt(5) > 0;
        ByteBuffer to = ByteBuffer.allocate(12);
        to.putShort((short) (call ? 0x3001 : random.nextInt(8)));
        to.putShort((short) (random.nextInt(8) > 0 ? PPP : 0x0800));
        to.putShort((short) 4).putShort((short) CALLS[random.nextInt(CALLS.length)]);
        int length = random.nextInt(12) == 0 ? random.nextInt(9) : 12;
        return new SentPayload(
                six,
                answers ? two : one,
                answers ? one : two,
                GRE,
                Arrays.copyOf(to.array(), length),
                call ? "call" : "other",
                random.nextInt(10) != 0);
    }
}
