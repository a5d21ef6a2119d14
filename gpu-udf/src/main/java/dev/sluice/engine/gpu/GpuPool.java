package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of a process, opened when the first operator instance asks for one and closed when
 * the last is done. Thread-safe.
 */
public final class GpuPool {
    private static final int BUFFER_HEADERS = 65_536;

    /**
     * Staging buffers of a device, 2.9 MB each on either side, of which headers of more than 10
     * words fill one sooner.
     */
    private static final StagingPool.Size STAGING =
            new StagingPool.Size(OffloadMode.MOST_STREAMS, 64, BUFFER_HEADERS, 10);

    private static final Logger LOG = LoggerFactory.getLogger(GpuPool.class);
    private static final GpuPool SHARED = new GpuPool(JCudaGpuDriver::get);

    private volatile Supplier<? extends GpuDriver> driver;
    private final Map<Integer, Shared> devices = new HashMap<>();

    private static final class Shared {
        final GpuDevice device;
        int users;

        /** Measured results, by kernel, the CPU's algorithm, sizes of both images, preference. */
        final Map<String, Crossover> crossovers = new HashMap<>();

        Shared(GpuDevice device) {
            this.device = device;
        }
    }

    /** A pool of a driver's devices. */
    public GpuPool(Supplier<? extends GpuDriver> driver) {
        this.driver = driver;
    }

    /** Puts another driver in the place of the one that is asked from now on, to inject faults. */
    public void driver(Supplier<? extends GpuDriver> other) {
        driver = other;
    }

    /**
     * The driver whose devices it shares.
     *
     * @throws GpuException if the machine has none, saying why
     */
    public GpuDriver driver() {
        return driver.get();
    }

    /** The pool of this process. */
    public static GpuPool shared() {
        return SHARED;
    }

    /**
     * Which devices may be used.
     *
     * @param off none
     * @param ids these; empty: all that there are
     */
    public record Selection(boolean off, List<Integer> ids) implements Serializable {
        /** None. */
        public static final Selection OFF = new Selection(true, List.of());

        /** All that there are. */
        public static final Selection AUTO = new Selection(false, List.of());

        /**
         * Reads an option.
         *
         * @param text auto, off, or numbers of devices separated by commas
         * @throws IllegalArgumentException if it is none of these
         */
        public static Selection parse(String text) {
            String plain = text.strip().toLowerCase(Locale.ROOT);
            if (plain.equals("off")) {
                return OFF;
            }
            if (plain.equals("auto")) {
                return AUTO;
            }
            if (!plain.matches("\\d{1,4}(,\\d{1,4})*")) {
                throw new IllegalArgumentException(
                        "'" + text + "' names no devices; write auto, off, or numbers as in 0,1");
            }
            return new Selection(
                    false, Arrays.stream(plain.split(",")).map(Integer::valueOf).toList());
        }
    }

    /**
     * A device for an operator instance: instances are spread over the devices.
     *
     * @param selection which devices may be used; named ones must be there
     * @param instance number of the operator instance
     * @return null where the CPU has to do: none were asked for, or auto found none
     * @throws GpuException if a device that was named cannot be used
     */
    public synchronized @Nullable Use use(Selection selection, int instance) {
        if (selection.off()) {
            return null;
        }
        boolean named = !selection.ids().isEmpty();
        try {
            GpuDriver found = driver.get();
            List<Integer> ids = new ArrayList<>(selection.ids());
            for (int d = 0; !named && d < found.devices(); d++) {
                ids.add(d);
            }
            if (ids.isEmpty()) {
                LOG.info("no GPU: the driver shows none; the CPU classifies");
                return null;
            }
            int number = ids.get(Math.floorMod(instance, ids.size()));
            if (number >= found.devices()) {
                throw new GpuException(
                        0,
                        "device "
                                + number
                                + " is not there: the driver shows "
                                + found.devices()
                                + "; name others");
            }
            Shared shared = devices.get(number);
            if (shared == null) {
                shared = new Shared(new GpuDevice(found, number, STAGING));
                devices.put(number, shared);
                GpuDriver.Info info = shared.device.context().info();
                LOG.info(
                        "device {}: {}, {} MiB, driver for CUDA {}",
                        number,
                        info.name(),
                        info.memoryBytes() >> 20,
                        info.cuda());
            }
            shared.users++;
            return new Use(this, number, shared);
        } catch (GpuException e) {
            if (named) {
                throw new GpuException(
                        e.code(), e.getMessage() + "; --gpu auto or off lets the CPU classify", e);
            }
            LOG.info("no GPU: {}; the CPU classifies", e.getMessage());
            return null;
        }
    }

    /**
     * Which of the devices of a selection {@link #use} gives an instance: instances of one place
     * can share an engine.
     *
     * @return its place among the devices, from 0; 0 where there is none, or one alone
     */
    public synchronized int place(Selection selection, int instance) {
        if (selection.off()) {
            return 0;
        }
        int devices = selection.ids().size();
        if (devices == 0) {
            try {
                devices = driver.get().devices();
            } catch (GpuException e) {
                LOG.debug("no GPU: {}", e.getMessage());
            }
        }
        return devices == 0 ? 0 : Math.floorMod(instance, devices);
    }

    private synchronized void end(int number) {
        Shared shared = devices.get(number);
        if (shared != null && --shared.users == 0) {
            devices.remove(number);
            shared.device.close();
        }
    }

    /** One operator instance's use of a device. */
    public static final class Use implements AutoCloseable {
        private final GpuPool pool;
        private final int number;
        private final Shared shared;

        /** Of all classifiers, one after another as rules are compiled anew. */
        private final OffloadFigures figures = new OffloadFigures();

        private volatile @Nullable Crossover measured;
        private boolean closed;

        Use(GpuPool pool, int number, Shared shared) {
            this.pool = pool;
            this.number = number;
            this.shared = shared;
        }

        /** The device. */
        public GpuDevice device() {
            return shared.device;
        }

        /**
         * A classifier that uses the device from the batch size on at which it was measured to be
         * faster. It is measured once for images of about one size.
         *
         * @param compiled the rules on the CPU, which the device is measured against
         * @param cpu answers in the device's place: the same, or a flow cache before it
         * @param image what the device looks into: that of {@code compiled}, or another one of the
         *     same rules
         * @param preference what of the offload mode is decided; if all of it is, nothing is
         *     measured
         * @return null if no kernel reads the image, the device has no room for it, or is slower at
         *     every size
         */
        public @Nullable GpuClassifier classifier(
                Classifier compiled,
                Classifier cpu,
                Image image,
                RuleSet rules,
                OffloadPreference preference) {
            measured = null;
            if (!KernelCatalog.reads(image)) {
                LOG.info("no kernel reads these rules; the CPU classifies");
                return null;
            }
            GpuClassifier classifier;
            try {
                classifier = new GpuClassifier(shared.device, cpu, image);
            } catch (GpuException e) {
                LOG.warn(
                        "device {} cannot take the rules: {}; the CPU classifies",
                        number,
                        e.getMessage());
                return null;
            }
            int smallest = preference.from();
            OffloadMode mode;
            if (preference.leavesSomething()) {
                Crossover crossover = crossover(classifier, compiled, rules, preference);
                smallest = smallest > 0 ? smallest : crossover.smallest();
                mode = crossover.mode();
            } else {
                OffloadMode wanted = preference.orElse(OffloadMode.PLAIN);
                mode = classifier.mayStay() ? wanted : wanted.launched();
            }
            if (smallest > BUFFER_HEADERS) {
                classifier.close();
                return null;
            }
            classifier.smallest(smallest);
            classifier.offloadMode(mode);
            classifier.cpuHelps(true);
            classifier.countIn(figures); // but for those that were measured
            return classifier;
        }

        /** One instance measures, the others of the process wait for what it finds. */
        private Crossover crossover(
                GpuClassifier classifier,
                Classifier cpu,
                RuleSet rules,
                OffloadPreference preference) {
            synchronized (shared.crossovers) {
                String key =
                        "%s%d %d.%d %s"
                                .formatted(
                                        classifier.kernel(),
                                        magnitude(classifier.deviceImage()),
                                        cpu.image().algorithm(),
                                        magnitude(cpu.image()),
                                        preference);
                Crossover known = shared.crossovers.get(key);
                if (known == null) {
                    known = Crossover.measure(classifier, cpu, rules, preference);
                    LOG.info("device {}: {}", number, known.describe());
                    shared.crossovers.put(key, known);
                }
                measured = known;
                return known;
            }
        }

        private static int magnitude(Image image) {
            return 63 - Long.numberOfLeadingZeros(image.bytes());
        }

        /**
         * Returns the comparison of device and CPU for the last rules of this use; empty where
         * nothing had to be, or none of the device's kernels reads those rules.
         */
        public Optional<Crossover> measured() {
            return Optional.ofNullable(measured);
        }

        /**
         * Measures how fast the device looks rules up; close it when done.
         *
         * @throws GpuException if the device has no room for the headers of a measurement, or fails
         */
        public DeviceTrial trial(RuleSet rules) {
            return new DeviceTrial(shared.device, rules);
        }

        /**
         * Opens the device anew if it failed and nothing is under way there; else later batches do.
         */
        public void revive() {
            try {
                shared.device.revive();
            } catch (GpuException e) {
                LOG.warn("device {} does not come back: {}", number, e.getMessage());
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                pool.end(number);
            }
        }
    }
}
