//! Work that somebody else sent, done here: the other end of an [`Engine`](crate::elsewhere::Engine).

use super::bootstrap::{REPETITIONS, repetitions_of};
use crate::Error;
use crate::elsewhere::Parcel;
use crate::memory::Held;
use crate::strengths::{FITS, fits_of};
use crate::watch::Watch;

/// Makes the pieces of a parcel that are named, in their order: tasks of the machines, or repetitions of the learning. `held` is what the
/// process held before, which is not counted against its memory.
///
/// # Errors
/// [`Error::Elsewhere`] for what is no parcel of this version; whatever goes wrong with the work itself.
pub fn pieces(parcel: &[u8], names: &[String], held: Held, watch: &dyn Watch) -> Result<Vec<String>, Error> {
    let parcel = Parcel::open(parcel)?;
    match parcel.kind.as_str() {
        FITS => fits_of(parcel, names, watch),
        REPETITIONS => repetitions_of(parcel, names, held, watch),
        kind => Err(Error::Elsewhere(format!("nobody here knows work of the kind '{kind}'"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, Dataset};
    use crate::elsewhere::Engine;
    use crate::folder::Kept;
    use crate::learn::learn_keeping;
    use crate::rules::RuleSettings;
    use crate::settings::{Profile, Settings};
    use crate::watch::Unwatched;
    use crate::{bn, embedded};
    use std::sync::Mutex;

    /// Sends every few names as a parcel of their own, and notes how many there were.
    #[derive(Debug)]
    struct Here {
        at_a_time: usize,
        asked: Mutex<Vec<usize>>,
    }

    impl Engine for Here {
        fn make(
            &self,
            parcel: &Parcel,
            names: Vec<String>,
            take: &mut dyn FnMut(&str) -> Result<(), Error>,
        ) -> Result<(), Error> {
            self.asked.lock().unwrap().push(names.len());
            for some in names.chunks(self.at_a_time) {
                for piece in pieces(parcel.bytes(), some, Held::default(), &Unwatched)? {
                    take(&piece)?;
                }
            }
            Ok(())
        }
    }

    fn figures(dataset: &Dataset, settings: &Settings, kept: Kept<'_>) -> String {
        let found = learn_keeping(dataset, settings, &Bounds::default(), kept, &Unwatched).unwrap();
        let bootstrap = found.bootstrap.as_ref().unwrap();
        format!("{:?} {:?} {:?} {:?}", found.network, found.strengths, found.arcs, bootstrap)
    }

    #[test]
    fn made_elsewhere_or_here_is_the_same() {
        let mut gappy = bn::sample(&embedded::network("asia").unwrap(), 600, 1);
        let mut column = gappy.column(3).to_vec();
        column.iter_mut().step_by(7).for_each(|code| *code = bn::MISSING);
        let columns = (0..8).map(|v| if v == 3 { column.clone() } else { gappy.column(v).to_vec() });
        gappy = bn::Table::new(gappy.schema().clone(), columns.collect()).unwrap();
        let dataset = Dataset::sampled(gappy);
        let rules = RuleSettings {
            parameter: vec!["smoke".into()],
            require: vec!["asia>xray".parse().unwrap()],
            forbid: vec!["dysp>bronc".parse().unwrap()],
            ..RuleSettings::default()
        };
        for profile in [Profile::Hybrid, Profile::Paper] {
            let mut settings = Settings { rules: rules.clone(), profile, ..Settings::default() };
            settings.network.bootstrap = 5;
            settings.strengths.rounds = Some(2);
            settings.prediction.target = Some(vec!["lung".into()]);
            let here = figures(&dataset, &settings, Kept::default());
            for at_a_time in [7, 1000] {
                let engine = Here { at_a_time, asked: Mutex::default() };
                assert_eq!(figures(&dataset, &settings, Kept::default().made_by(Some(&engine))), here);
                let asked = engine.asked.into_inner().unwrap();
                assert!(asked.len() == 2 && asked[0] > 8 && asked[1] == 5, "{asked:?}");
            }
        }
    }

    #[test]
    fn work_of_another_kind_is_refused() {
        let table = bn::sample(&embedded::network("cancer").unwrap(), 30, 1);
        let parcel = Parcel::new("miracles", &table, &()).unwrap();
        let refused = pieces(parcel.bytes(), &[], Held::default(), &Unwatched).unwrap_err();
        assert!(refused.to_string().ends_with("work of the kind 'miracles'"));
    }
}
