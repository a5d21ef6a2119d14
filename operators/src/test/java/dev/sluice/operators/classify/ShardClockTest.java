package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.operators.connections.TrackerOptions.Model;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ShardClockTest {
    @Test
    void aStateWithoutASeedHasTheOneThatEverybodyKnows() {
        ShardClock clock = new ShardClock(8, 1, 2, 3, 4, Model.LINUX);
        assertEquals(clock, ShardClock.of(clock.toBytes()));
        ShardClock earlier = ShardClock.of(Arrays.copyOf(clock.toBytes(), 4 * Long.BYTES));
        assertEquals(new ShardClock(8, 1, 2, 3, TrackerOptions.LINUX.seed(), Model.LINUX), earlier);
    }

    @Test
    void aStateNamesItsModelUnlessItIsLinux() {
        ShardClock linux = new ShardClock(8, 1, 2, 3, 4, Model.LINUX);
        assertEquals(5 * Long.BYTES, linux.toBytes().length);
        ShardClock aws = new ShardClock(8, 1, 2, 3, 4, Model.AWS);
        assertEquals(aws, ShardClock.of(aws.toBytes()));
    }
}
