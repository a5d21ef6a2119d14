package dev.sluice.lab.gpu.measure;

import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.lab.kit.Meter;
import dev.sluice.lab.kit.Samples;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Times a kernel on headers that lie in the device's memory already, and compares every verdict.
 * Not thread-safe.
 */
final class DeviceBench implements AutoCloseable {
    private static final int WARM_UPS = 4;
    private static final int COUNTED = 1 << 18;
    private static final int READS_A_THREAD = 16;

    /** How long launches over all headers keep the device busy while others queue behind them. */
    private static final float AHEAD_MILLIS = 2;

    private static final int AHEAD_AT_LEAST = 3;

    /** Content of the verdicts before a kernel writes them: no rule's position. */
    private static final int UNWRITTEN = 0x5eed5eed;

    /** Launches timed one after the other, at most. */
    private static final int IN_TURN = 16;

    private final GpuDriver.Device device;
    private final GpuDriver.Stream stream;
    private final int count;
    private final long headers;
    private final long verdicts;
    private final int[] traceIndex;

    /**
     * Puts headers of a trace, drawn at random, on a device.
     *
     * @param count headers; a multiple of 32
     */
    DeviceBench(GpuDevice on, HeaderTrace trace, HeaderLayout layout, int count) {
        this.device = on.device();
        this.count = count;
        this.stream = device.stream();
        this.traceIndex = new int[count];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < count; i++) {
            traceIndex[i] = random.nextInt(trace.size());
        }
        this.headers = device.allocate(4L * count * Math.max(1, layout.size()));
        this.verdicts = device.allocate(4L * count);
        int[] words = new int[count];
        for (int p = 0; p < layout.size(); p++) {
            int word = layout.word(p);
            for (int i = 0; i < count; i++) {
                words[i] = trace.header(traceIndex[i])[word];
            }
            device.upload(headers + 4L * p * count, words, 0, count);
        }
    }

    /**
     * Rates of a kernel.
     *
     * @param mpps million headers a second of each run
     * @param wrong verdicts that differ from the reference's
     */
    record Result(Samples mpps, long wrong) {}

    /**
     * Runs a kernel.
     *
     * @param expected position of each header of the trace; empty: verdicts are not compared
     * @param launchCount headers a launch
     * @param inTurn whether launches queue behind one another; else each is alone
     */
    Result run(DeviceKernel kernel, int[] expected, int launchCount, int runs, boolean inTurn) {
        return inTurn
                ? runInTurn(kernel, expected, launchCount, runs)
                : runAlone(kernel, expected, launchCount, runs);
    }

    private Result runAlone(DeviceKernel kernel, int[] expected, int launchCount, int runs) {
        clearVerdicts();
        GpuDriver.Launch launch = kernel.prepare(headers, verdicts);
        Samples rates = meter(runs).measure(() -> launchCount / (time(launch, launchCount) * 1e3));
        return result(rates, expected, launchCount);
    }

    /**
     * Runs a kernel in launches of one stream, one after the other, that wait in its queue behind
     * launches over all headers, so that the device's own time is taken, without the host's for
     * handing a launch over. Each launch begins when the one before it has ended.
     *
     * @param launchCount headers a launch; those on the device are a multiple of it
     */
    private Result runInTurn(DeviceKernel kernel, int[] expected, int launchCount, int runs) {
        GpuDriver.Launch ahead = kernel.prepare(headers, verdicts);
        GpuDriver.Launch[] launches = new GpuDriver.Launch[Math.min(IN_TURN, count / launchCount)];
        for (int l = 0; l < launches.length; l++) {
            long offset = 4L * l * launchCount;
            launches[l] = kernel.prepare(headers + offset, verdicts + offset);
        }
        time(ahead, count);
        int aheads = AHEAD_AT_LEAST + (int) (AHEAD_MILLIS / time(ahead, count));
        Runnable busy =
                () -> {
                    for (int a = 0; a < aheads; a++) {
                        ahead.run(count, count, stream);
                    }
                };
        Runnable turns =
                () -> {
                    for (GpuDriver.Launch each : launches) {
                        each.run(count, launchCount, stream);
                    }
                };
        double headersOfAll = (double) launches.length * launchCount;
        Samples rates =
                meter(runs).measure(() -> headersOfAll / (device.time(busy, turns, stream) * 1e3));
        clearVerdicts(); // of what the launches ahead wrote
        turns.run();
        device.await(stream);
        return result(rates, expected, launches.length * launchCount);
    }

    private static Meter meter(int runs) {
        return new Meter(WARM_UPS, runs);
    }

    /** Milliseconds of one launch, handed over by the host. */
    private float time(GpuDriver.Launch launch, int launchCount) {
        return device.time(() -> {}, () -> launch.run(count, launchCount, stream), stream);
    }

    private void clearVerdicts() {
        int[] unwritten = new int[count];
        Arrays.fill(unwritten, UNWRITTEN);
        device.upload(verdicts, unwritten, 0, count);
    }

    private Result result(Samples rates, int[] expected, int written) {
        long wrong = 0;
        if (expected.length > 0) {
            int[] found = new int[written];
            device.download(found, 0, written, verdicts);
            for (int i = 0; i < written; i++) {
                wrong += found[i] == expected[traceIndex[i]] ? 0 : 1;
            }
        }
        return new Result(rates, wrong);
    }

    /** Sectors of 32 bytes that a header's look-up reads. */
    double sectors(DeviceKernel kernel) {
        int some = Math.min(count, COUNTED);
        return (double) kernel.sectors(headers, verdicts, count, some) / some;
    }

    /** Million random reads of 16 bytes a second in memory of the image's size. */
    double gathers(MeasuredImage image, int runs) {
        GpuDriver.Launch launch =
                device.prepare(
                        KernelCatalog.call(
                                KernelCatalog.GATHER,
                                image.image(),
                                image.address(),
                                headers,
                                verdicts));
        int words = Math.max(4, image.image().words().length);
        Runnable reads = () -> launch.run(words, count, stream);
        double readsOfAll = READS_A_THREAD * (double) count;
        return meter(runs)
                .measure(() -> readsOfAll / (device.time(() -> {}, reads, stream) * 1e3))
                .median();
    }

    @Override
    public void close() {
        device.free(headers);
        device.free(verdicts);
        device.destroyStream(stream);
    }
}
