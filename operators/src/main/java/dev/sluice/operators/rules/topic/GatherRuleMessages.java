package dev.sluice.operators.rules.topic;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the messages of the rules topic into elements for the tasks that follow them ({@link
 * RuleMessages}).
 *
 * <p>Input: (whether a transaction or a heartbeat ends with it, message). What ends a transaction
 * goes on at once with all before it, unless an element went on in the same millisecond: then with
 * those that come until the next. So a change by itself waits for nothing, and a backlog of changes
 * travels in elements of {@value #MOST_BYTES} bytes.
 *
 * <p>Before a barrier and at the end of input all goes on: there is no state.
 */
public final class GatherRuleMessages extends AbstractStreamOperator<byte[]>
        implements OneInputStreamOperator<Tuple2<Integer, byte[]>, byte[]> {
    /** The first field of a message that more of its transaction follows. */
    public static final int MORE_FOLLOWS = 0;

    /** The first field of a message that ends a transaction, and of a heartbeat. */
    public static final int ENDS = 1;

    /** Bytes at which an element goes on, whatever it ends with. */
    static final int MOST_BYTES = 1 << 14;

    private static final long serialVersionUID = 1L;

    private transient RuleMessages.Writer gathered;
    private transient long sentMillis;
    private transient @Nullable ScheduledFuture<?> timer;

    @Override
    public void open() throws Exception {
        super.open();
        gathered = new RuleMessages.Writer();
        sentMillis = Long.MIN_VALUE;
    }

    @Override
    public void processElement(StreamRecord<Tuple2<Integer, byte[]>> element) {
        gathered.add(
                element.getValue().f1,
                element.hasTimestamp()
                        ? TimeUnit.MILLISECONDS.toNanos(element.getTimestamp())
                        : RuleTransaction.NO_TIME);
        boolean ends = element.getValue().f0 == ENDS;
        ProcessingTimeService clock = getProcessingTimeService();
        long now = clock.getCurrentProcessingTime();
        if (gathered.size() >= MOST_BYTES || ends && now != sentMillis) {
            send();
        } else if (ends && timer == null) {
            timer = clock.registerTimer(now + 1, time -> sendGathered());
        }
    }

    private void sendGathered() {
        timer = null;
        send();
    }

    private void send() {
        if (gathered.size() > 0) {
            sentMillis = getProcessingTimeService().getCurrentProcessingTime();
            output.collect(new StreamRecord<>(gathered.take()));
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        send();
    }

    @Override
    public void finish() throws Exception {
        send();
        super.finish();
    }
}
