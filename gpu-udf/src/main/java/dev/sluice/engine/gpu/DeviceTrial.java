package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.memory.DeviceContext;
import dev.sluice.engine.gpu.memory.DeviceHeaders;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * How fast a device looks headers up in images of one rule set: by its own clock, over headers made
 * from the rules that lie in its memory. What a batch's way there and back costs is not in it: that
 * is the same for all images, and {@link Crossover} measures it. Not thread-safe; batches of others
 * may be under way, and take from the rate.
 */
public final class DeviceTrial implements AutoCloseable {
    /**
     * Different headers: so many that what they read of an image does not stay in the device's
     * cache from one repetition to the next, as it does not where traffic is looked up.
     */
    private static final int DRAWN = 1 << 18;

    /** Headers of a launch at most: the drawn ones as often as that takes. */
    private static final int MOST = 1 << 20;

    /** Largest size of all headers on the device in words: fewer of large headers. */
    private static final int MOST_WORDS = 6 << 20;

    /** Headers of the first launches. Where they take a moment more are launched. */
    private static final int FIRST = 1 << 16;

    private static final int STEP = 4;
    private static final float ENOUGH_MILLIS = 0.2f;
    private static final int WARM_UPS = 2;
    private static final int ROUNDS = 7;

    private final GpuDevice device;
    private final HeaderLayout layout;
    private final DeviceHeaders headers;

    /**
     * Puts headers on a device.
     *
     * @throws GpuException if it has no room for them, or fails
     */
    DeviceTrial(GpuDevice device, RuleSet rules) {
        this.device = device;
        this.layout = rules.layout();
        int most = Math.min(MOST, MOST_WORDS / Math.max(1, layout.size()));
        HeaderBatch drawn = new SampleHeaders(rules, 3).batch(layout, Math.min(DRAWN, most));
        int times = most / drawn.size();
        device.rest();
        try {
            this.headers = new DeviceHeaders(device.memory(), drawn, times);
        } catch (GpuException e) {
            failed(e);
            throw e;
        }
    }

    /**
     * Measures an image, in some milliseconds; it is on the device meanwhile.
     *
     * @return M headers a second; 0 if no kernel reads the image, the device has no room for it, or
     *     its headers are others
     * @throws GpuException if the device fails
     */
    public double rate(Image image) {
        if (!KernelCatalog.reads(image) || !image.layout().equals(layout)) {
            return 0;
        }
        DeviceImage there;
        try {
            there = device.retain(image);
        } catch (GpuException e) {
            if (e.isOutOfMemory()) {
                return 0;
            }
            failed(e);
            throw e;
        }
        DeviceContext.Held share = device.context().share();
        try (share) {
            headers.requireThere();
            return measured(there);
        } finally {
            device.release(there);
        }
    }

    /** Want of memory does no harm; after anything else what is open there may be lost. */
    private void failed(GpuException e) {
        if (!e.isOutOfMemory()) {
            device.context().fail();
        }
    }

    private double measured(DeviceImage there) {
        Image image = there.image();
        GpuDriver.Device on = device.device();
        try {
            GpuDriver.Launch launch =
                    on.prepare(
                            KernelCatalog.call(
                                    KernelCatalog.of(image),
                                    image,
                                    there.address(),
                                    headers.words(),
                                    headers.verdicts()));
            // A device that fails meanwhile takes the stream with it.
            GpuDriver.Stream stream = on.stream();
            double best = rate(on, launch, stream);
            on.destroyStream(stream);
            return best;
        } catch (GpuException e) {
            device.context().fail();
            throw e;
        }
    }

    private double rate(GpuDriver.Device on, GpuDriver.Launch launch, GpuDriver.Stream stream) {
        int count = Math.min(FIRST, headers.count());
        float millis = 0;
        for (int w = 0; w < WARM_UPS; w++) {
            millis = millis(on, launch, stream, count);
        }
        while (millis < ENOUGH_MILLIS && count < headers.count()) {
            count = Math.min(STEP * count, headers.count());
            millis = millis(on, launch, stream, count);
        }
        for (int r = 0; r < ROUNDS; r++) {
            millis = Math.min(millis, millis(on, launch, stream, count));
        }
        return count / (1e3 * millis);
    }

    private float millis(
            GpuDriver.Device on, GpuDriver.Launch launch, GpuDriver.Stream stream, int count) {
        return on.time(() -> {}, () -> launch.run(headers.count(), count, stream), stream);
    }

    /** Gives the headers' memory back. */
    @Override
    public void close() {
        headers.close();
    }
}
