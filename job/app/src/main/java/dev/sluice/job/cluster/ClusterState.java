package dev.sluice.job.cluster;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DatabindException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * State of a started cluster, as {@code cluster.json} in its folder holds it.
 *
 * @param host address on which the cluster listens
 * @param webPort port of the web interface, which also takes jobs
 * @param bootstrap address of its own broker, or of the given one
 * @param taskManagers number of TaskManagers that should run
 * @param slots of each TaskManager
 * @param members processes in the order of their start
 */
public record ClusterState(
        String host,
        int webPort,
        String bootstrap,
        int taskManagers,
        int slots,
        List<Member> members) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Copies the list; refuses a file that leaves out the host, the broker or the members. */
    public ClusterState {
        Objects.requireNonNull(host);
        Objects.requireNonNull(bootstrap);
        members = List.copyOf(members);
    }

    /**
     * Reads the state from a folder.
     *
     * @return empty if no cluster was started there, or the last one was ended
     * @throws SluiceException if the file cannot be read
     */
    public static Optional<ClusterState> read(ClusterFolder folder) {
        Path file = folder.state();
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            ClusterState state = JSON.readValue(Files.readAllBytes(file), ClusterState.class);
            if (state == null) { // the file says null
                throw new SluiceException(noState(file));
            }
            return Optional.of(state);
        } catch (DatabindException e) {
            throw new SluiceException(noState(file), e);
        } catch (JacksonException e) {
            throw new SluiceException(
                    "%s is broken: %s; end the processes that it names, and delete it"
                            .formatted(file, e.getOriginalMessage()),
                    e);
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("file", file, e), e);
        }
    }

    private static String noState(Path file) {
        return file
                + " is no state of a cluster; name another folder, or move the file away if no cluster runs in this one";
    }

    /** Writes the state into a folder by an atomic move. */
    void write(ClusterFolder folder) {
        Path file = folder.state();
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try {
            Files.write(next, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be written: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** Deletes the state of a folder, which says that no cluster is up. */
    static void delete(ClusterFolder folder) {
        try {
            Files.deleteIfExists(folder.state());
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be deleted: %s".formatted(folder.state(), e.getMessage()), e);
        }
    }

    /** Finds the process of a role. */
    public Optional<Member> member(String role) {
        return members.stream().filter(member -> member.role().equals(role)).findFirst();
    }

    /** Returns this cluster with a process added, or in place of the process of the same role. */
    ClusterState with(Member member) {
        List<Member> more = new ArrayList<>(members);
        if (member(member.role()).isPresent()) {
            more.replaceAll(before -> before.role().equals(member.role()) ? member : before);
        } else {
            more.add(member);
        }
        return new ClusterState(host, webPort, bootstrap, taskManagers, slots, more);
    }

    /** Returns the address of the web interface and of REST. */
    public String web() {
        return "http://" + host + ":" + webPort;
    }

    /** Returns the number of slots of all TaskManagers. */
    public int allSlots() {
        return taskManagers * slots;
    }
}
