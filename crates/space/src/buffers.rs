//! Room for lists that are filled anew in every step.
//!
//! In a large scene such lists are most of the memory. A vector that grows by itself takes up to twice what it
//! needs, and leaves a gap in memory that no larger one fits into.

/// Lists of more bytes than this are large: they are asked of the system itself.
const LARGE: usize = 1 << 17;

/// From now on the program gives large lists back to the system as soon as it has done with them. glibc's allocator keeps
/// ever larger ones for itself, by thread, in gaps that what comes next does not fit into: up to a third of what large
/// scenes held. Other systems are left as they are.
pub fn give_back_at_once() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call changes a setting of the allocator, and nothing that is allocated.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as libc::c_int);
    }
}

/// Empties a list and makes sure that so many elements fit into it: with an eighth to spare where it has to grow.
pub fn clear_for<T>(list: &mut Vec<T>, count: usize) {
    list.clear();
    if list.capacity() < count {
        // What there was is given back first.
        *list = Vec::new();
        list.reserve_exact(count + count / 8);
    }
}

/// Empties a list that is seldom filled, and gives its room back if it is large.
pub fn clear_seldom<T>(list: &mut Vec<T>) {
    list.clear();
    if list.capacity() * size_of::<T>() > LARGE {
        *list = Vec::new();
    }
}

/// Gives a list this length. Elements that it had are kept where they fit into its room; all others are `fill`.
pub fn set_length<T: Clone>(list: &mut Vec<T>, count: usize, fill: T) {
    if list.capacity() < count {
        clear_for(list, count);
    }
    list.resize(count, fill);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_grow_by_an_eighth_and_keep_their_room() {
        let mut list = vec![1; 10];
        clear_for(&mut list, 80);
        assert!(list.is_empty() && (80..100).contains(&list.capacity()));
        set_length(&mut list, 90, 7);
        assert_eq!(list, [7; 90]);
        set_length(&mut list, 30, 0);
        assert!(list == [7; 30] && list.capacity() >= 90);
        set_length(&mut list, 1000, 5);
        assert!(list == [5; 1000] && list.capacity() < 1200);
        clear_seldom(&mut list);
        assert!(list.is_empty() && list.capacity() >= 1000);
        set_length(&mut list, LARGE, 5);
        clear_seldom(&mut list);
        assert_eq!(list.capacity(), 0);
    }
}
