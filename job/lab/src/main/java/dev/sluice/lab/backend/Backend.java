package dev.sluice.lab.backend;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Choice;
import dev.sluice.policy.io.SluiceException;
import java.util.List;

/** Backend that is to classify in a benchmark. */
public enum Backend {
    /** The CPU alone. */
    CPU,
    /** A device: every batch is to go there, whatever is faster. */
    GPU;

    /** Name of the option that chooses one. */
    public static final String OPTION = "--backend";

    /** Default device: the first one. */
    private static final List<Integer> FIRST = List.of(0);

    /**
     * Options of an engine that has this one classify. A device is named in them, so that an engine
     * that cannot use it fails.
     *
     * @throws UsageException if they ask for another one
     */
    public EngineOptions in(EngineOptions options) {
        GpuPool.Selection devices = options.gpu();
        boolean named = !devices.ids().isEmpty();
        if (this == CPU) {
            if (named) {
                throw contradicts("devices");
            }
            return options.withGpu(GpuPool.Selection.OFF);
        }
        if (devices.off()) {
            throw contradicts("off");
        }
        return options.withGpu(new GpuPool.Selection(false, named ? devices.ids() : FIRST))
                .withOffload(options.offload().decided());
    }

    private UsageException contradicts(String devices) {
        return new UsageException(
                "%s %s and --gpu %s contradict each other; leave one of them out"
                        .formatted(OPTION, Choice.label(this), devices));
    }

    /**
     * Opens the device that options name, and closes it again.
     *
     * @throws SluiceException if it cannot be used, saying why
     */
    public void requireWorking(EngineOptions options) {
        if (this == CPU) {
            return;
        }
        try (GpuPool.Use use = GpuPool.shared().use(options.gpu(), 0)) {
            if (use == null) {
                throw new IllegalArgumentException("the options name no device");
            }
        } catch (GpuException e) {
            // What the pool says there is to do about it is an option of the job.
            Throwable reason = e.getCause() == null ? e : e.getCause();
            throw new SluiceException(failure("no GPU works: " + reason.getMessage()), e);
        }
    }

    /**
     * Refuses an engine that has no device for its rules.
     *
     * @param onDevice whether it has
     * @throws SluiceException if a device was asked for and does not serve the rules
     */
    public void requireServed(boolean onDevice) {
        if (this == GPU && !onDevice) {
            throw new SluiceException(
                    failure(
                            "no GPU serves these rules: no kernel reads them, or they do not fit its memory (the log says which); another --algorithm may do"));
        }
    }

    /**
     * Refuses what a benchmark found if another one classified everything.
     *
     * @throws SluiceException if a device was asked for and classified nothing
     */
    public void requireIn(Classified classified) {
        if (this == GPU && classified.byDevice() == 0) {
            throw new SluiceException(
                    failure(
                            "the GPU classified none of %,d headers, the CPU all of them: batches failed on the device, or it rested after a failure (the log says why)"
                                    .formatted(classified.byCpu())));
        }
    }

    private String failure(String what) {
        return "%s %s: %s; %s cpu lets the CPU classify"
                .formatted(OPTION, Choice.label(this), what, OPTION);
    }
}
