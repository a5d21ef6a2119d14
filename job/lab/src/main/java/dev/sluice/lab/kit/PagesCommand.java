package dev.sluice.lab.kit;

import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench pages}: the pages of measurements from their raw files. */
@Command(
        name = "pages",
        description = {
            "Writes the pages of measurements from the raw JSON and CSV files beside them.",
            ""
        })
public final class PagesCommand extends SluiceCommand {
    @Option(
            names = "--raw",
            paramLabel = "DIR",
            defaultValue = "docs/benchmarks",
            description =
                    "Folder of the raw files, into which the pages go (default ${DEFAULT-VALUE}).")
    private Path raw = Path.of("docs/benchmarks");

    @Option(
            names = "--check",
            description =
                    "Write nothing; fail and name the pages that differ from their raw files.")
    private boolean check;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws IOException {
        Map<Path, String> pages = Pages.of(raw);
        List<String> stale = new ArrayList<>();
        for (Map.Entry<Path, String> page : pages.entrySet()) {
            Path file = page.getKey();
            if (Files.exists(file) && Files.readString(file).equals(page.getValue())) {
                continue;
            }
            stale.add(String.valueOf(file.getFileName()));
            if (!check) {
                TextFiles.write(file, page.getValue());
            }
        }
        if (check && !stale.isEmpty()) {
            throw new SluiceException(
                    String.join(", ", stale)
                            + (stale.size() == 1 ? " differs" : " differ")
                            + " from the raw files in "
                            + raw
                            + "; run the command without --check");
        }
        Results.print(
                out(),
                json,
                JsonOption.object()
                        .put("pages", pages.size())
                        .put("written", check ? 0 : stale.size()));
        return 0;
    }
}
