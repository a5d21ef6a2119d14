package dev.sluice.lab.gpu;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.job.cli.JsonOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code gpu info}. */
@Command(
        name = "info",
        description = {"Lists the GPUs that can be used, and the driver.", ""})
final class GpuInfoCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        GpuDriver driver = GpuPool.shared().driver();
        for (int d = 0; d < driver.devices(); d++) {
            GpuDriver.Info info = driver.info(d);
            if (json.isGiven()) {
                JsonOption.print(
                        spec.commandLine().getOut(),
                        JsonOption.object()
                                .put("device", d)
                                .put("name", info.name())
                                .put("compute_capability", info.architecture() / 10.0)
                                .put("multiprocessors", info.multiprocessors())
                                .put("memory_bytes", info.memoryBytes())
                                .put("cache_bytes", info.cacheBytes())
                                .put("cuda", info.cuda()));
                continue;
            }
            spec.commandLine()
                    .getOut()
                    .printf(
                            "%d: %s, compute capability %d.%d, %d multiprocessors, %,d MiB, cache %d MiB; driver for CUDA %s%n",
                            d,
                            info.name(),
                            info.architecture() / 10,
                            info.architecture() % 10,
                            info.multiprocessors(),
                            info.memoryBytes() >> 20,
                            info.cacheBytes() >> 20,
                            info.cuda());
        }
        return 0;
    }
}
