package dev.sluice.lab.gpu;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.lab.kit.Results;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code gpu info}. */
@Command(
        name = "info",
        description = {"Lists the GPUs that can be used, and the driver.", ""})
final class GpuInfoCommand extends SluiceCommand {
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        GpuDriver driver = GpuPool.shared().driver();
        for (int d = 0; d < driver.devices(); d++) {
            GpuDriver.Info info = driver.info(d);
            ObjectNode record =
                    JsonOption.object()
                            .put("device", d)
                            .put("name", info.name())
                            .put("compute_capability", info.architecture() / 10.0)
                            .put("multiprocessors", info.multiprocessors())
                            .put("memory_bytes", info.memoryBytes())
                            .put("cache_bytes", info.cacheBytes())
                            .put("cuda", info.cuda());
            Results.tell(out(), json, record);
        }
        return 0;
    }
}
